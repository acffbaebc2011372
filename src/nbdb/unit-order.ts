// The order in which pending units are written. Shared units come before the policies that use them. Shared units that
// no policy uses any more are deleted last, in a round of their own: only when all other units are as desired, so that
// no row may still refer to their rows.

import type { Problem } from "../model/problem.ts";
import type { Actual } from "./actual/actual.ts";
import type { SweepGuard } from "./actual/sweep-guard.ts";
import type { Desired } from "./desired/desired.ts";
import type { Pending } from "./pending.ts";
import type { UnitKey } from "./rows/unit.ts";
import { policyOfUnit } from "./rows/unit.ts";

export interface UnitOrderParts {
  readonly desired: Desired;
  readonly actual: Actual;
  readonly pending: Pending;
  readonly sweepGuard: SweepGuard;
  readonly refused: ReadonlyMap<UnitKey, Problem>;
}

export class UnitOrder {
  readonly #parts: UnitOrderParts;
  /** Shared units that are to be deleted and must wait. */
  readonly #waiting = new Set<UnitKey>();

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
    const shared: UnitKey[] = [];
    const leaving: UnitKey[] = [];
    for (const unit of pending.units()) {
      if (policyOfUnit(unit) !== null) policies.push(unit);
      else (desired.get(unit) === null ? leaving : shared).push(unit);
    }
    if (policies.length + shared.length > 0) return [...shared, ...policies];
    if (leaving.length === 0 || !this.#mayBeReferredTo()) return leaving;
    for (const unit of leaving) {
      pending.take(unit);
      this.#waiting.add(unit);
    }
    return [];
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
