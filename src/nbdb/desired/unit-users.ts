// Which policies use which shared units, indexed both ways. Every policy also uses its own unit, which is derived from
// the policy's key and not stored.

import { Multimap } from "../../lib/multimap.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit, unitOfPolicy } from "../rows/unit.ts";

export class UnitUsers {
  readonly #shared = new Map<PolicyKey, readonly UnitKey[]>();
  readonly #users = new Multimap<UnitKey, PolicyKey>();

  /** The policy's own unit, then the shared ones that it uses. */
  unitsOf(policy: PolicyKey): readonly UnitKey[] {
    return [unitOfPolicy(policy), ...(this.#shared.get(policy) ?? [])];
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

  /** Returns the shared units that the policy used before or uses now. */
  use(policy: PolicyKey, units: readonly UnitKey[]): ReadonlySet<UnitKey> {
    const before = this.#shared.get(policy) ?? [];
    for (const unit of before) this.#users.remove(unit, policy);
    for (const unit of units) this.#users.add(unit, policy);
    if (units.length === 0) this.#shared.delete(policy);
    else this.#shared.set(policy, units);
    return new Set([...before, ...units]);
  }
}
