// Units that the database refused, until they are tried again. A refused shared unit refuses every policy that uses it:
// their rows must not be written without the unit's rows. Trying one of these policies again tries all of them.

import type { Problem } from "../model/problem.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { UnitUsers } from "./desired/unit-users.ts";
import type { Pending } from "./pending.ts";
import type { UnitKey } from "./rows/unit.ts";
import { unitOfPolicy } from "./rows/unit.ts";
import { Ledger } from "./write/ledger.ts";

export class Refusals {
  readonly #users: UnitUsers;
  readonly #pending: Pending;
  readonly #units = new Map<UnitKey, Problem>();
  /** Units that were refused before the present commit. */
  #earlier: ReadonlySet<UnitKey> = new Set();

  constructor(users: UnitUsers, pending: Pending) {
    this.#users = users;
    this.#pending = pending;
  }

  get units(): ReadonlyMap<UnitKey, Problem> {
    return this.#units;
  }

  /**
   * The ledger of a commit. A refused unit counts as refused at once, so that the units that need it are not written
   * after it.
   */
  newLedger(): Ledger {
    for (const unit of this.#units.keys()) if (!this.#isUsed(unit)) this.#again(unit);
    this.#earlier = new Set(this.#units.keys());
    return new Ledger((unit, problem) => {
      this.#units.set(unit, problem);
    });
  }

  /** The transactions of one round are over. */
  close(ledger: Pick<Ledger, "unsettle">): void {
    for (const [unit, problem] of [...this.#units].filter(([one]) => !this.#earlier.has(one))) {
      this.#pending.take(unit);
      for (const policy of this.#users.policiesOf(unit)) {
        const own = unitOfPolicy(policy);
        if (!this.#units.has(own)) this.#units.set(own, problem);
        this.#pending.take(own);
        ledger.unsettle(own);
      }
    }
  }

  /** Policies that the last commit refused, with the reason. */
  policies(): ReadonlyMap<PolicyKey, Problem> {
    const policies = new Map<PolicyKey, Problem>();
    for (const [unit, problem] of this.#units) {
      if (this.#earlier.has(unit)) continue;
      for (const policy of this.#users.policiesOf(unit)) policies.set(policy, problem);
    }
    return policies;
  }

  /** The next commit writes the policy's refused units again, and the units that were refused with them. */
  retry(policy: PolicyKey): void {
    if (this.#units.size === 0) return;
    for (const unit of this.#users.unitsOf(policy)) {
      if (!this.#again(unit)) continue;
      for (const user of this.#users.policiesOf(unit)) this.#again(unitOfPolicy(user));
    }
  }

  /** Without a policy, no event retries a unit: every commit does. */
  #isUsed(unit: UnitKey): boolean {
    return Iterator.from(this.#users.policiesOf(unit)).some(() => true);
  }

  #again(unit: UnitKey): boolean {
    const wasRefused = this.#units.delete(unit);
    if (wasRefused) this.#pending.markWhole(unit);
    return wasRefused;
  }
}
