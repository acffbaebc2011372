// Whether another program writes the same rows as this one: then a unit is repaired again and again. Repairs are never
// given up; but between two of one unit is a pause that grows with their number, so that the two programs do not fill
// the database with transactions. What is desired is written at once, contested or not.
// Invariant: a pause is never longer than `longestPauseMs`, and a unit that no other program writes has none.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

/** Units as people know them. */
export interface DescribedUnits {
  /** Fields of a log line. */
  readonly counts: Readonly<Record<string, number>>;
  /** The names of a few. */
  readonly names: string;
}

export interface WriteConflictsOptions<U> {
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
  readonly describe: (units: ReadonlySet<U>) => DescribedUnits;
}

/** So many repairs of one unit within the window are no accident. */
const repairsOfConflict = 3;
const windowMs = 60_000;
const firstPauseMs = 100;
/** Isolation first: for so long the other program's rows may exist. */
const longestPauseMs = 2_000;
const reportAgainMs = 300_000;

export class WriteConflicts<U> {
  readonly #options: WriteConflictsOptions<U>;
  /** Times of each unit's repairs within the window, ascending. */
  readonly #repairs = new Map<U, readonly number[]>();
  #reportedAt = -Infinity;

  constructor(options: WriteConflictsOptions<U>) {
    this.#options = options;
  }

  /** Drift of these units was repaired now. */
  repaired(units: readonly U[]): void {
    if (units.length === 0) return;
    const { clock, logger, describe } = this.#options;
    const now = clock.now();
    for (const unit of units) this.#repairs.set(unit, [...this.#recent(unit), now]);
    const contested = this.contested();
    if (contested.size === 0 || now - this.#reportedAt < reportAgainMs) return;
    this.#reportedAt = now;
    const { counts, names } = describe(contested);
    logger.warn("another program writes the same rows", {
      ...{ ...counts, which: names },
      remedy: "stop the other program; this one goes on putting its rows right",
    });
  }

  /** Units that were repaired often of late. */
  contested(): ReadonlySet<U> {
    const contested = new Set<U>();
    for (const unit of this.#repairs.keys()) {
      const { length } = this.#recent(unit);
      if (length === 0) this.#repairs.delete(unit);
      if (length >= repairsOfConflict) contested.add(unit);
    }
    return contested;
  }

  /** For people; empty when no other program writes. */
  lines(): readonly string[] {
    const contested = this.contested();
    if (contested.size === 0) return [];
    return [`another program writes the same rows: ${this.#options.describe(contested).names}`];
  }

  /** Until when further drift of the unit waits; a time in the past: it does not. */
  pausedUntil(unit: U): number {
    const recent = this.#recent(unit);
    const last = recent.at(-1);
    if (last === undefined || recent.length < repairsOfConflict) return -Infinity;
    return last + Math.min(longestPauseMs, firstPauseMs * 2 ** (recent.length - repairsOfConflict));
  }

  #recent(unit: U): readonly number[] {
    const since = this.#options.clock.now() - windowMs;
    return (this.#repairs.get(unit) ?? []).filter((at) => at > since);
  }
}
