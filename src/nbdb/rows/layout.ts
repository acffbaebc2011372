// Which units a policy's rows are in, and what each of them holds. The layout that is used renders a policy into its own
// unit alone; a layout with units that policies share adds those here.

import type { Policy } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { PolicyRows, RenderedPolicy } from "./render.ts";
import { renderPolicy } from "./render.ts";
import type { UnitKey, UnitRows } from "./unit.ts";

export interface Layout {
  /** The rows that are the policy's alone. `before`: as in renderPolicy. */
  render(policy: Policy, options: RenderOptions, before: RenderedPolicy | null): PolicyRows;
  /** The shared units without which the policy's own rows must not be written, each once. */
  sharedUnitsOf(policy: Policy): readonly UnitKey[];
  /** The rows of a shared unit, given every policy that uses it: one at least. */
  renderShared(unit: UnitKey, users: readonly Policy[], options: RenderOptions): UnitRows;
}

export const ownRowsOnly: Layout = {
  render: renderPolicy,
  sharedUnitsOf: () => [],
  renderShared: (unit) => {
    throw new Error(`${unit} is a shared unit, and this layout has none`);
  },
};
