// The order in which pending units are written. Shared units come before the policies that use them. Shared units that
// no policy uses any more are deleted last, in a round of their own: only when all other units are as desired, so that
// no row may still refer to their rows. The isolation of a namespace goes with the policies that use it, in one transaction:
// no row refers to it, and without them it would deny what nobody denies any more. Drift of contested units waits for the end of its pause.

import type { Clock, Timer } from "../lib/clock.ts";
import type { Problem } from "../model/problem.ts";
import type { Actual } from "./actual/actual.ts";
import type { SweepGuard } from "./actual/sweep-guard.ts";
import type { Contest } from "./contest.ts";
import type { Desired } from "./desired/desired.ts";
import type { Pending } from "./pending.ts";
import { isolatedBy } from "./rows/isolation.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit } from "./rows/unit.ts";

export interface UnitOrderParts {
  readonly desired: Desired;
  readonly actual: Actual;
  readonly pending: Pending;
  readonly sweepGuard: SweepGuard;
  readonly refused: ReadonlyMap<UnitKey, Problem>;
  readonly contest: Pick<Contest, "pausedUntil">;
  readonly clock: Clock;
}

export class UnitOrder {
  readonly #parts: UnitOrderParts;
  /** Shared units that are to be deleted and must wait. */
  readonly #waiting = new Set<UnitKey>();
  #pause: Timer | null = null;

  constructor(parts: UnitOrderParts) {
    this.#parts = parts;
  }

  /** A commit begins. */
  begin(): void {
    for (const unit of this.#waiting) this.#parts.pending.markWhole(unit);
    this.#waiting.clear();
  }

  /** The units to write in one round; none when nothing is left that can be written now. */
  next(): readonly UnitKey[] {
    const { desired, pending } = this.#parts;
    const policies: UnitKey[] = [];
    const isolations: UnitKey[] = [];
    const shared: UnitKey[] = [];
    const leaving: UnitKey[] = [];
    let isOnePaused = false;
    for (const unit of pending.units()) {
      if (this.#isPaused(unit)) isOnePaused = true;
      else if (policyOfUnit(unit) !== null) policies.push(unit);
      else if (isolatedBy(unit) !== null) isolations.push(unit);
      else (desired.get(unit) === null ? leaving : shared).push(unit);
    }
    // Allows come before denies where a refused transaction is split.
    const now = [...shared, ...policies, ...isolations];
    if (now.length > 0) return now;
    if (leaving.length === 0 || !(isOnePaused || this.#mayBeReferredTo())) return leaving;
    for (const unit of leaving) {
      pending.take(unit);
      this.#waiting.add(unit);
    }
    return [];
  }

  /** Calls `work` when there is something to write: at once, or when the first pause ends. Not while a commit runs. */
  resume(work: () => void): void {
    const { pending, clock, contest } = this.#parts;
    this.#pause?.cancel();
    this.#pause = null;
    let first = Infinity;
    for (const unit of pending.units()) {
      if (!this.#isPaused(unit)) {
        work();
        return;
      }
      first = Math.min(first, contest.pausedUntil(unit));
    }
    if (first < Infinity) this.#pause = clock.after(first - clock.now(), work);
  }

  /** Another program writes the unit's rows too, and nothing but its last write is to be put right. */
  #isPaused(unit: UnitKey): boolean {
    const { pending, clock, contest } = this.#parts;
    return pending.isOnlyDrift(unit) && contest.pausedUntil(unit) > clock.now();
  }

  /**
   * Rows that are not as desired may refer to shared rows: rows of refused policies, and of policies that cannot be
   * read.
   */
  #mayBeReferredTo(): boolean {
    const { desired, actual, refused, sweepGuard } = this.#parts;
    if (refused.size > 0) return true;
    const undesired = [...actual.owners()].filter((unit) => desired.get(unit) === null);
    return undesired.some((unit) => {
      const policy = policyOfUnit(unit);
      return policy !== null && sweepGuard.spares(policy);
    });
  }
}
