// Which policies use which shared units, indexed both ways. Every policy also uses its own unit, which is derived from
// the policy's key and not stored.

import { Multimap } from "../../lib/multimap.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit, unitOfPolicy } from "../rows/unit.ts";

const none: ReadonlyMap<UnitKey, unknown> = new Map();

/** Shared units that a policy uses and did not use before, and those that it used and does not. */
export interface UseChange<U> {
  readonly come: ReadonlyMap<UnitKey, U>;
  readonly left: readonly UnitKey[];
}

export class UnitUsers {
  readonly #shared = new Map<PolicyKey, ReadonlyMap<UnitKey, unknown>>();
  readonly #users = new Multimap<UnitKey, PolicyKey>();

  /** The policy's own unit, then the shared ones that it uses. */
  unitsOf(policy: PolicyKey): readonly UnitKey[] {
    return [unitOfPolicy(policy), ...(this.#shared.get(policy) ?? none).keys()];
  }

  /** For a policy's own unit: that policy, whether or not it is still desired. */
  policiesOf(unit: UnitKey): Iterable<PolicyKey> {
    const own = policyOfUnit(unit);
    return own === null ? this.#users.get(unit) : [own];
  }

  /** Whether a policy uses the shared unit. */
  isUsed(unit: UnitKey): boolean {
    return this.#users.get(unit).size > 0;
  }

  /** The policy uses these shared units from now on. */
  use<U>(policy: PolicyKey, units: ReadonlyMap<UnitKey, U>): UseChange<U> {
    const before = this.#shared.get(policy) ?? none;
    if (units === before) return { come: new Map(), left: [] };
    const come = new Map<UnitKey, U>();
    for (const [unit, use] of units) if (!before.has(unit)) come.set(unit, use);
    const left = [...before.keys()].filter((unit) => !units.has(unit));
    for (const unit of come.keys()) this.#users.add(unit, policy);
    for (const unit of left) this.#users.remove(unit, policy);
    if (units.size === 0) this.#shared.delete(policy);
    else this.#shared.set(policy, units);
    return { come, left };
  }
}
