// Corrections: writes that no edit asked for. A repair puts right what another client changed, a sweep removes rows of
// policies that do not exist, a takeover brings rows of an earlier run up to date. Each is counted by unit, and told in
// one line for each commit and kind.
// Invariant: only what was written counts; what was planned and not written is planned again with the same causes.

import type { WriteConflictsOptions } from "./write-conflicts.ts";
import { WriteConflicts } from "./write-conflicts.ts";
import type { Causes } from "./pending.ts";
import type { UnitKey } from "./rows/unit.ts";
import { shownUnits, unitCounts } from "./shown-units.ts";

const kinds = ["repair", "sweep", "takeover"] as const;
export type Correction = (typeof kinds)[number];

interface Planned {
  readonly kind: Correction | null;
  readonly operations: number;
  readonly causes: Causes;
}

interface Written {
  operations: number;
  readonly units: Set<UnitKey>;
}

/** What was corrected, as a log line says it. */
const lines: Readonly<Record<Correction, { readonly level: "info" | "warn"; readonly text: string }>> = {
  repair: { level: "warn", text: "rows that another client had changed were put right" },
  sweep: { level: "info", text: "rows of policies that do not exist were removed" },
  takeover: { level: "info", text: "rows of an earlier run were brought up to date" },
};

export class Corrections {
  /** Of the units that are repaired again and again. */
  readonly conflicts: WriteConflicts;
  readonly #options: WriteConflictsOptions;
  readonly #counts = { repair: 0, sweep: 0, takeover: 0 };
  /** What is planned and not yet known to be written. */
  readonly #planned = new Map<UnitKey, Planned>();
  /** What this commit has written. */
  readonly #written = new Map<Correction, Written>();

  constructor(options: WriteConflictsOptions) {
    this.#options = options;
    this.conflicts = new WriteConflicts(options);
  }

  /** Units corrected so far; those of several commits count each time. */
  get counts(): Readonly<Record<Correction, number>> {
    return this.#counts;
  }

  /** A unit's operations are planned. */
  planned(unit: UnitKey, causes: Causes, isDesired: boolean, operations: number): void {
    const kind = operations === 0 ? null : correctionOf(causes, isDesired);
    this.#planned.set(unit, { kind, operations, causes });
  }

  /** They were not written. Returns why they were planned. */
  notWritten(unit: UnitKey): Partial<Causes> {
    const causes = this.#planned.get(unit)?.causes ?? {};
    this.#planned.delete(unit);
    return causes;
  }

  /** What is still planned was written. */
  roundOver(): void {
    const repaired: UnitKey[] = [];
    for (const [unit, { kind, operations }] of this.#planned) {
      if (kind === null) continue;
      this.#counts[kind]++;
      const written = this.#written.get(kind) ?? { operations: 0, units: new Set() };
      written.operations += operations;
      written.units.add(unit);
      this.#written.set(kind, written);
      if (kind === "repair") repaired.push(unit);
    }
    this.#planned.clear();
    this.conflicts.repaired(repaired);
  }

  /** The commit is over: tells what it corrected. */
  tell(): void {
    const { logger, shown } = this.#options;
    for (const kind of kinds) {
      const written = this.#written.get(kind);
      if (written === undefined) continue;
      const { level, text } = lines[kind];
      const { units, operations } = written;
      logger[level](text, { ...unitCounts(units), operations, which: shownUnits(units, shown) });
    }
    this.#written.clear();
  }
}

/** What is due to an edit, or is a policy's first rows, is no correction. */
function correctionOf({ drifted, edited, found }: Causes, isDesired: boolean): Correction | null {
  if (found && isDesired) return "takeover";
  if (edited) return null;
  if (drifted) return "repair";
  return found ? "sweep" : null;
}
