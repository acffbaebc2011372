// A unit that policies share, as one of its users describes it. Users of the same unit describe it alike: whichever of
// them is asked, the rows are the same. A unit whose rows depend on its users is called with each user that is added, changed
// or removed, so that no rendering looks at all of them.

import type { Policy, PolicyKey } from "../../../policy/ir.ts";
import type { RenderOptions } from "../render-mode.ts";
import type { UnitKey, UnitRows } from "../unit.ts";

/** What a unit keeps of its users. */
export interface SharedUnitUsers {
  /** The policy uses the unit now, or does so otherwise than before. */
  set(policy: Policy): void;
  /** A user uses it no more. */
  remove(key: PolicyKey): void;
}

export interface SharedUnit {
  readonly unit: UnitKey;
  /** null: its rows do not depend on its users. Kept from the first user's description on, as long as there is a user. */
  readonly users: SharedUnitUsers | null;
  /** The rows of the unit. `before`: those last rendered, which are returned as the same object unless they would differ. */
  render(options: RenderOptions, before: UnitRows | null): UnitRows;
}
