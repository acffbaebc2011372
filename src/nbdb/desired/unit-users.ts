// Which policies use which shared units, indexed both ways. Every policy also uses its own unit, which is derived from
// the policy's key and not stored.

import { isReused } from "../../lib/identity.ts";
import { Multimap } from "../../lib/multimap.ts";
import type { TallyChange } from "../../lib/tally.ts";
import type { PolicyKey } from "../../policy/ir.ts";
import type { UnitKey } from "../rows/unit.ts";
import { policyOfUnit, unitOfPolicy } from "../rows/unit.ts";

const none: ReadonlyMap<UnitKey, unknown> = new Map();

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

  /** The policy uses these shared units from now on. `change`: what was added and removed, where that is known. */
  use<U>(
    policy: PolicyKey,
    units: ReadonlyMap<UnitKey, U>,
    change: TallyChange<UnitKey, U> | null,
  ): TallyChange<UnitKey, U> {
    const { added, removed } = change ?? difference(this.#shared.get(policy) ?? none, units);
    for (const unit of added.keys()) if (!this.#users.has(unit, policy)) this.#users.add(unit, policy);
    for (const unit of removed) this.#users.remove(unit, policy);
    if (units.size === 0) this.#shared.delete(policy);
    else this.#shared.set(policy, units);
    return { added, removed };
  }
}

function difference<K, V>(before: ReadonlyMap<K, unknown>, after: ReadonlyMap<K, V>): TallyChange<K, V> {
  const added = new Map<K, V>();
  if (isReused<ReadonlyMap<K, unknown>>(before, after)) return { added, removed: new Set() };
  for (const [key, value] of after) if (!before.has(key)) added.set(key, value);
  return { added, removed: new Set(before.keys().filter((key) => !after.has(key))) };
}
