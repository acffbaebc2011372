// Decides which units hold a policy's rows, and what each unit holds. The present layout renders a policy into its own
// unit alone; a layout with shared units adds them here.

import type { Policy } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { PolicyRows, RenderedPolicy } from "./render.ts";
import { renderPolicy } from "./render.ts";
import type { UnitKey, UnitRows } from "./unit.ts";

export interface Layout {
  /** The rows of the policy's own unit. `before`: as in renderPolicy. */
  render(policy: Policy, options: RenderOptions, before: RenderedPolicy | null): PolicyRows;
  /** The shared units that must be written before the policy's own rows, each once. */
  sharedUnitsOf(policy: Policy): readonly UnitKey[];
  /** The rows of a shared unit, given every policy that uses it: at least one. */
  renderShared(unit: UnitKey, users: readonly Policy[], options: RenderOptions): UnitRows;
}

export const ownRowsOnly: Layout = {
  render: renderPolicy,
  sharedUnitsOf: () => [],
  renderShared: (unit) => {
    throw new Error(`${unit} is a shared unit, and this layout has none`);
  },
};
