// Whether another program writes the same rows as this one: then a unit is repaired again and again. Repairs are never
// given up; but between two of one unit is a pause that grows with their number, so that the two programs do not fill
// the database with transactions. What is desired is written at once, contested or not.
// Invariant: a pause is never longer than `longestPauseMs`, and a unit that nobody else writes has none.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { ShownKey } from "../model/object.ts";
import type { UnitKey } from "./rows/unit.ts";
import { shownUnits, unitCounts } from "./shown-units.ts";

export interface WriteConflictsOptions {
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
  readonly shown: ShownKey;
}

/** So many repairs of one unit within the window are no accident. */
const repairsOfContest = 3;
const windowMs = 60_000;
const firstPauseMs = 100;
/** Isolation first: for so long the other program's rows may stand. */
const longestPauseMs = 2_000;
const tellAgainMs = 300_000;

export class WriteConflicts {
  readonly #options: WriteConflictsOptions;
  /** Times of each unit's repairs within the window, ascending. */
  readonly #repairs = new Map<UnitKey, readonly number[]>();
  #toldAt = -Infinity;

  constructor(options: WriteConflictsOptions) {
    this.#options = options;
  }

  /** Drift of these units was repaired now. */
  repaired(units: readonly UnitKey[]): void {
    if (units.length === 0) return;
    const { clock, logger, shown } = this.#options;
    const now = clock.now();
    for (const unit of units) this.#repairs.set(unit, [...this.#recent(unit), now]);
    const contested = this.contested();
    if (contested.size === 0 || now - this.#toldAt < tellAgainMs) return;
    this.#toldAt = now;
    logger.warn("another program writes the same rows", {
      ...unitCounts(contested),
      which: shownUnits(contested, shown),
      remedy: "stop the other program; this one goes on putting its rows right",
    });
  }

  /** Units that were repaired often of late. */
  contested(): ReadonlySet<UnitKey> {
    const contested = new Set<UnitKey>();
    for (const unit of this.#repairs.keys()) {
      const { length } = this.#recent(unit);
      if (length === 0) this.#repairs.delete(unit);
      if (length >= repairsOfContest) contested.add(unit);
    }
    return contested;
  }

  /** For people; empty when nobody else writes. */
  lines(): readonly string[] {
    const contested = this.contested();
    if (contested.size === 0) return [];
    return [`another program writes the same rows: ${shownUnits(contested, this.#options.shown)}`];
  }

  /** Until when further drift of the unit waits; a time in the past: it does not. */
  pausedUntil(unit: UnitKey): number {
    const recent = this.#recent(unit);
    const last = recent.at(-1);
    if (last === undefined || recent.length < repairsOfContest) return -Infinity;
    return last + Math.min(longestPauseMs, firstPauseMs * 2 ** (recent.length - repairsOfContest));
  }

  #recent(unit: UnitKey): readonly number[] {
    const since = this.#options.clock.now() - windowMs;
    return (this.#repairs.get(unit) ?? []).filter((at) => at > since);
  }
}
