// A unit that policies share, as one of its users describes it. Users of the same unit describe it alike: whichever of
// them is asked, the rows come out the same.

import type { Policy } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { UnitKey, UnitRows } from "./unit.ts";

export interface SharedUnit {
  readonly unit: UnitKey;
  /** Whether its rows depend on who uses it. */
  readonly followsUsers: boolean;
  /**
   * The rows of the unit. `users`: every policy that uses it, at least one. `before`: the rows as last rendered, which are
   * returned as the same object unless they would differ.
   */
  render(users: () => readonly Policy[], options: RenderOptions, before: UnitRows | null): UnitRows;
}
