// The order in which pending units are written. Shared units precede the policies that use them. Shared units that no policy
// uses any more are deleted last, in a transaction of their own, and only when no existing ACL names their rows: those of
// refused policies and of policies that cannot be read may. It follows the transaction with which their last users go, where
// those are the only ones, and otherwise has a round of its own. The isolation of a namespace is written with the policies that
// use it, in one transaction: without them it would deny what no policy denies any more, and only its own ACLs name its rows.
// The rows that Samples need come before all of these. Drift of contested units waits for the end of its pause.

import type { Clock, Timer } from "../lib/clock.ts";
import type { Uuid } from "../ovsdb/notation/description.ts";
import type { Actual } from "./actual/actual.ts";
import { isNamedBy, namingAcls } from "./actual/references.ts";
import type { WriteConflicts } from "../contents/write-conflicts.ts";
import type { Desired } from "./desired/desired.ts";
import type { Pending } from "./pending.ts";
import { isolatedBy } from "./rows/isolation.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit, samplingUnit } from "./rows/unit.ts";
import { watchUnit } from "./rows/sampling/watch.ts";

export interface UnitOrderParts {
  readonly desired: Desired;
  readonly actual: Actual;
  readonly pending: Pending;
  readonly conflicts: Pick<WriteConflicts<UnitKey>, "pausedUntil">;
  readonly clock: Clock;
}

export class UnitOrder {
  readonly #parts: UnitOrderParts;
  /** Shared units that are to be deleted and must wait, each with an ACL that names its rows. */
  readonly #waiting = new Map<UnitKey, Uuid>();
  #pause: Timer | null = null;

  constructor(parts: UnitOrderParts) {
    this.#parts = parts;
  }

  /** Shared units that are to be deleted. */
  leaving(): readonly UnitKey[] {
    const { desired, pending } = this.#parts;
    return [...pending.units()].filter(
      (unit) =>
        policyOfUnit(unit) === null &&
        unit !== samplingUnit &&
        !namesItself(unit) &&
        desired.get(unit) === null &&
        !this.#isPaused(unit),
    );
  }

  /** The units to write in one round; none when nothing is left that can be written now. */
  next(): readonly UnitKey[] {
    const { desired, pending } = this.#parts;
    // Samples of the others refer to its collector.
    if (pending.has(samplingUnit) && !this.#isPaused(samplingUnit)) return [samplingUnit];
    const policies: UnitKey[] = [];
    const isolations: UnitKey[] = [];
    const shared: UnitKey[] = [];
    let isOneLeaving = false;
    for (const unit of pending.units()) {
      if (this.#isPaused(unit)) continue;
      if (policyOfUnit(unit) !== null) policies.push(unit);
      else if (namesItself(unit)) isolations.push(unit);
      else if (desired.get(unit) !== null) shared.push(unit);
      else if (unit !== samplingUnit) isOneLeaving = true;
    }
    // Allows precede denies where a refused transaction is split.
    const now = [...shared, ...policies, ...isolations];
    if (now.length > 0) return now;
    return this.#endWaits() || isOneLeaving ? this.#unnamed() : [];
  }

  /** The shared units that may be deleted now; the others wait. */
  #unnamed(): readonly UnitKey[] {
    const { actual, pending } = this.#parts;
    const units = this.leaving();
    const naming = namingAcls(units, actual);
    for (const [unit, [acl]] of naming) {
      if (acl === undefined) continue;
      pending.take(unit);
      this.#waiting.set(unit, acl);
    }
    return units.filter((unit) => !naming.has(unit));
  }

  /** Whether a unit that had to wait is now pending again: the ACL that was known to name its rows does not any more. */
  #endWaits(): boolean {
    const { desired, actual, pending } = this.#parts;
    let hasEnded = false;
    for (const [unit, acl] of this.#waiting) {
      const isDesired = desired.get(unit) !== null;
      if (!isDesired && isNamedBy(unit, acl, actual)) continue;
      this.#waiting.delete(unit);
      if (isDesired) continue;
      pending.markWhole(unit);
      hasEnded = true;
    }
    return hasEnded;
  }

  /** Calls `work` when there is something to write: at once, or when the first pause ends. Not while a commit runs. */
  resume(work: () => void): void {
    const { pending, clock, conflicts } = this.#parts;
    this.#pause?.cancel();
    this.#pause = null;
    let first = Infinity;
    for (const unit of pending.units()) {
      if (!this.#isPaused(unit)) {
        work();
        return;
      }
      first = Math.min(first, conflicts.pausedUntil(unit));
    }
    if (first < Infinity) this.#pause = clock.after(Math.max(0, first - clock.now()), work);
  }

  /** Another program writes the unit's rows too, and nothing but its last write is to be put right. */
  #isPaused(unit: UnitKey): boolean {
    const { pending, clock, conflicts } = this.#parts;
    return pending.isOnlyDrift(unit) && conflicts.pausedUntil(unit) > clock.now();
  }
}

/** Only ACLs of its own name its rows. */
function namesItself(unit: UnitKey): boolean {
  return isolatedBy(unit) !== null || unit === watchUnit;
}
