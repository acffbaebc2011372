// The shared units that policies use, as their first users describe them, and which of them a change of one policy concerns.
// Those that follow their users hear of it at once, and are rendered once for all that changed together. Cost of a change:
// the units of one policy, or of an edit of single rules those that are added and removed.

import { invariant } from "../../lib/invariant.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import type { PolicyRows } from "../rows/policy-rows.ts";
import type { SharedUnit } from "../rows/sets/shared-unit.ts";
import type { UnitKey } from "../rows/unit.ts";
import { UnitUsers } from "./unit-users.ts";

export interface SharedChange {
  /** Units to render now. */
  readonly due: readonly UnitKey[];
  /** Units that no policy uses any more. */
  readonly gone: readonly UnitKey[];
}

const noUnits: ReadonlyMap<UnitKey, SharedUnit> = new Map();

export class SharedUnits {
  readonly users = new UnitUsers();
  readonly #units = new Map<UnitKey, SharedUnit>();
  /** Those that follow their users and may be rendered otherwise now. */
  readonly #following = new Set<UnitKey>();

  get(unit: UnitKey): SharedUnit {
    const shared = this.#units.get(unit);
    invariant(shared !== undefined, "a shared unit is used that no user has described");
    return shared;
  }

  /** `isAnew`: all that it uses may be rendered otherwise. */
  use(policy: Policy, rows: Pick<PolicyRows, "shared" | "delta">, isFullRebuild: boolean): SharedChange {
    const { shared: uses, delta } = rows;
    const known = delta?.shared ?? null;
    const { added, removed } = this.users.use(policy.key, uses, known);
    for (const [unit, shared] of added) if (!this.#units.has(unit)) this.#units.set(unit, shared);
    const due: UnitKey[] = [];
    // Where what differs is known, of those that stay nothing does.
    for (const unit of known === null ? uses.keys() : added.keys()) {
      const { users } = this.get(unit);
      if (users !== null) {
        users.set(policy);
        this.#following.add(unit);
      } else if (isFullRebuild || added.has(unit)) due.push(unit);
    }
    return { due, gone: this.#leave(policy.key, removed) };
  }

  /** The policy uses none. */
  remove(key: PolicyKey): SharedChange {
    const { removed } = this.users.use(key, noUnits, null);
    return { due: [], gone: this.#leave(key, removed) };
  }

  /** The units to render that follow their users; each once. */
  takeFollowing(): readonly UnitKey[] {
    const units = [...this.#following];
    this.#following.clear();
    return units;
  }

  /** Returns those that no policy uses any more. */
  #leave(key: PolicyKey, left: Iterable<UnitKey>): readonly UnitKey[] {
    const gone: UnitKey[] = [];
    for (const unit of left) {
      const { users } = this.get(unit);
      users?.remove(key);
      if (users !== null) this.#following.add(unit);
      if (this.users.isUsed(unit)) continue;
      gone.push(unit);
      this.#units.delete(unit);
      this.#following.delete(unit);
    }
    return gone;
  }
}
