// Corrections: writes that no edit asked for. A repair restores what another client changed, a sweep removes what was written for
// policies that do not exist, a takeover updates what an earlier run wrote. Each is counted by unit, whatever a backend makes
// one, and reported in one line for each commit and kind.
// Invariant: only what was written counts; what was planned and not written is planned again with the same causes.

import type { WriteConflictsOptions } from "./write-conflicts.ts";
import { WriteConflicts } from "./write-conflicts.ts";

/** Why a unit is written. */
export interface Causes {
  /** Another client has changed it, or what was written came back. */
  readonly drifted: boolean;
  /** What is desired of the unit has changed. */
  readonly edited: boolean;
  /** Something of the unit was there when the database was first read. */
  readonly found: boolean;
}

const kinds = ["repair", "sweep", "takeover"] as const;
export type Correction = (typeof kinds)[number];

interface Planned {
  readonly kind: Correction | null;
  readonly operations: number;
  readonly causes: Causes;
}

interface Written<U> {
  operations: number;
  readonly units: Set<U>;
}

/** What was corrected, as a log line says it. */
const lines: Readonly<Record<Correction, { readonly level: "info" | "warn"; readonly text: string }>> = {
  repair: { level: "warn", text: "rows that another client had changed were put right" },
  sweep: { level: "info", text: "rows of policies that do not exist were removed" },
  takeover: { level: "info", text: "rows of an earlier run were brought up to date" },
};

export class Corrections<U> {
  /** Of the units that are repaired again and again. */
  readonly conflicts: WriteConflicts<U>;
  readonly #options: WriteConflictsOptions<U>;
  readonly #counts = { repair: 0, sweep: 0, takeover: 0 };
  /** What is planned and not yet known to be written. */
  readonly #planned = new Map<U, Planned>();
  /** What this commit has written. */
  readonly #written = new Map<Correction, Written<U>>();

  constructor(options: WriteConflictsOptions<U>) {
    this.#options = options;
    this.conflicts = new WriteConflicts(options);
  }

  /** Units corrected so far; those of several commits count each time. */
  get counts(): Readonly<Record<Correction, number>> {
    return this.#counts;
  }

  /** A unit's operations are planned. */
  planned(unit: U, causes: Causes, isDesired: boolean, operations: number): void {
    const kind = operations === 0 ? null : correctionOf(causes, isDesired);
    this.#planned.set(unit, { kind, operations, causes });
  }

  /** They were not written. Returns why they were planned. */
  notWritten(unit: U): Partial<Causes> {
    const causes = this.#planned.get(unit)?.causes ?? {};
    this.#planned.delete(unit);
    return causes;
  }

  /** What is still planned was written. */
  roundOver(): void {
    const repaired: U[] = [];
    for (const [unit, { kind, operations }] of this.#planned) {
      if (kind === null) continue;
      this.#counts[kind]++;
      const written = this.#written.get(kind) ?? { operations: 0, units: new Set<U>() };
      written.operations += operations;
      written.units.add(unit);
      this.#written.set(kind, written);
      if (kind === "repair") repaired.push(unit);
    }
    this.#planned.clear();
    this.conflicts.repaired(repaired);
  }

  /** The commit is over: reports what it corrected. */
  report(): void {
    const { logger, describe } = this.#options;
    for (const kind of kinds) {
      const written = this.#written.get(kind);
      if (written === undefined) continue;
      const { level, text } = lines[kind];
      const { units, operations } = written;
      const { counts, names } = describe(units);
      logger[level](text, { ...counts, operations, which: names });
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
