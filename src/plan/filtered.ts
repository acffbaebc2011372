// A part of a plan: the classes and lines whose connections come to be denied, allowed or unknown, that a policy decides before or
// after, or that have an end in a namespace; and the matrix of it, worst places first, of which a window is shown. Invariant: each
// cell of the part is in some window.

import type { Ref } from "../analysis/ref.ts";
import { refText } from "../analysis/ref.ts";
import { namespaceOfEnds } from "./matrix.ts";
import type { Cell, Matrix } from "./matrix.ts";
import { matrixOf } from "./matrix.ts";
import type { Decider, PlanReport, SummaryLine, VerdictClass } from "./report.ts";

export interface PlanFilter {
  /** The verdict after the edit; null: any. */
  readonly becomes: VerdictClass["new"] | null;
  /** A part of the namespace's name at either end, in lower case. */
  readonly namespace: string;
  /** A part of the policy's kind, namespace and name, in lower case. */
  readonly policy: string;
}

export interface PlanPart {
  readonly changes: readonly VerdictClass[];
  /** Worst first. */
  readonly summary: readonly SummaryLine[];
  /** Rows and columns with what comes to be denied first, then allowed, then unknown; equal ones by name. */
  readonly matrix: Matrix;
}

export interface WindowSize {
  readonly rows: number;
  readonly columns: number;
}

/** Some rows, and of the columns that these have some. */
export interface MatrixWindow extends Matrix {
  /** The first row and the first column of the window, from 0. */
  readonly row: number;
  readonly column: number;
  /** Of a whole window. */
  readonly size: WindowSize;
  /** Rows of the part, columns of these rows, cells of the part. */
  readonly totals: Readonly<Record<"from" | "to" | "cells", number>>;
}

export function partOf({ verdicts }: PlanReport, filter: PlanFilter): PlanPart {
  const isMeant = (one: VerdictClass): boolean =>
    (filter.becomes === null || one.new === filter.becomes) &&
    (filter.policy === "" ||
      decidersOf(one).some((ref) => refText(ref).toLowerCase().includes(filter.policy))) &&
    (filter.namespace === "" || [one.from, one.to].some((ends) => namespaceOfEnds(ends, filter.namespace)));
  const changes = verdicts.changes.filter(isMeant);
  const meant = new Set(changes);
  const summary = verdicts.summary.filter(({ classes }) =>
    classes.some((at) => {
      const one = verdicts.changes[at];
      return one !== undefined && meant.has(one);
    }),
  );
  const { cells } = matrixOf({ changes });
  return { changes, summary, matrix: worstFirst(cells.filter((cell) => isAbout(cell, filter.namespace))) };
}

export function windowOf(
  { from, to, cells }: Matrix,
  at: { readonly row: number; readonly column: number },
  size: WindowSize,
): MatrixWindow {
  // Behind the last: the last window.
  const start = (wanted: number, total: number, many: number) =>
    wanted < total ? wanted : Math.max(0, Math.ceil(total / many) - 1) * many;
  const row = start(at.row, from.length, size.rows);
  const rows = from.slice(row, row + size.rows);
  const inRows = new Set(rows);
  const own = cells.filter((cell) => inRows.has(cell.from));
  const reached = new Set(own.map((cell) => cell.to));
  const all = to.filter((name) => reached.has(name));
  const column = start(at.column, all.length, size.columns);
  const columns = all.slice(column, column + size.columns);
  const inColumns = new Set(columns);
  return {
    ...{ from: rows, to: columns, row, column, size },
    cells: own.filter((cell) => inColumns.has(cell.to)),
    totals: { from: from.length, to: all.length, cells: cells.length },
  };
}

function isAbout({ from, to }: Cell, namespace: string): boolean {
  return namespace === "" || [from, to].some((place) => place.toLowerCase().includes(namespace));
}

/** Those who decide, before or after. */
function decidersOf({ by }: VerdictClass): readonly Ref[] {
  return [by.old.egress, by.old.ingress, by.new.egress, by.new.ingress].flatMap(policiesOf);
}

function policiesOf({ policy, policies = [] }: Decider): readonly Ref[] {
  return policy === undefined ? policies : [policy, ...policies];
}

const verdictsByHarm = ["deny", "allow", "unknown"] as const;

function worstFirst(cells: readonly Cell[]): Matrix {
  const names = (of: (cell: Cell) => string): readonly string[] => {
    const harms = new Map<string, number[]>();
    for (const cell of cells) {
      const harm = harms.get(of(cell)) ?? [0, 0, 0];
      harms.set(of(cell), harm);
      for (const [change, count] of Object.entries(cell.changes)) {
        const at = verdictsByHarm.findIndex((verdict) => change.endsWith(`→ ${verdict}`));
        harm[at] = (harm[at] ?? 0) + count;
      }
    }
    return [...harms]
      .sort(([a, one], [b, other]) => byHarm(one, other) || (a < b ? -1 : 1))
      .map(([name]) => name);
  };
  return { from: names(({ from }) => from), to: names(({ to }) => to), cells };
}

function byHarm(one: readonly number[], other: readonly number[]): number {
  const [worst = 0] = verdictsByHarm.flatMap((_, at) => {
    const difference = (other[at] ?? 0) - (one[at] ?? 0);
    return difference === 0 ? [] : [difference];
  });
  return worst;
}
