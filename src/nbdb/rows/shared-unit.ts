// A unit that policies share, as one of its users describes it. Users of the same unit describe it alike: whichever of
// them is asked, the rows come out the same. A unit whose rows depend on who uses it hears of each user that comes, changes
// and goes, so that no rendering looks at all of them.

import type { Policy, PolicyKey } from "../../policy/ir.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { UnitKey, UnitRows } from "./unit.ts";

/** What a unit keeps of those who use it. */
export interface SharedUnitUsers {
  /** The policy uses the unit now, or does so otherwise than before. */
  set(policy: Policy): void;
  /** A user uses it no more. */
  remove(key: PolicyKey): void;
}

export interface SharedUnit {
  readonly unit: UnitKey;
  /** null: its rows do not depend on who uses it. Kept from the first user's description on, as long as there is a user. */
  readonly users: SharedUnitUsers | null;
  /** The rows of the unit. `before`: those last rendered, which are returned as the same object unless they would differ. */
  render(options: RenderOptions, before: UnitRows | null): UnitRows;
}
