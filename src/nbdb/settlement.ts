// Which policies a commit settled. A policy is settled while all units that it uses are as desired. It is reported when its own
// unit was examined, or the last of its units that was not as desired; not whenever a unit that it shares was examined, so
// that the cost of a pod's event does not grow with the number of policies that share a set.

import type { PolicyKey } from "../policy/ir.ts";
import type { UnitUsers } from "./desired/unit-users.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit } from "./rows/unit.ts";
import type { Ledger } from "./write/ledger.ts";

export class Settlement {
  readonly #users: Pick<UnitUsers, "unitsOf">;
  readonly #pending: { has(unit: UnitKey): boolean };
  readonly #refused: { has(unit: UnitKey): boolean };
  /** They were examined, or refused, and have a unit that is not as desired. */
  readonly #unsettled = new Set<PolicyKey>();

  constructor(
    users: Pick<UnitUsers, "unitsOf">,
    pending: { has(unit: UnitKey): boolean },
    refused: { has(unit: UnitKey): boolean },
  ) {
    this.#users = users;
    this.#pending = pending;
    this.#refused = refused;
  }

  /** Policies that the commit settled. `refused`: those that it refused. */
  policiesOf({ settled }: Pick<Ledger, "settled">, refused: Iterable<PolicyKey>): readonly PolicyKey[] {
    for (const policy of refused) this.#unsettled.add(policy);
    const isSettled = (unit: UnitKey): boolean =>
      !this.#refused.has(unit) && (settled.has(unit) || !this.#pending.has(unit));
    const found: PolicyKey[] = [];
    for (const policy of this.#examined(settled)) {
      const units = this.#users.unitsOf(policy);
      if (!units.every(isSettled)) this.#unsettled.add(policy);
      else if (units.some((unit) => settled.has(unit))) {
        this.#unsettled.delete(policy);
        found.push(policy);
      }
    }
    return found;
  }

  #examined(settled: ReadonlySet<UnitKey>): ReadonlySet<PolicyKey> {
    const examined = new Set(this.#unsettled);
    for (const unit of settled) {
      const own = policyOfUnit(unit);
      if (own !== null) examined.add(own);
    }
    return examined;
  }
}
