// The tables of docs/reliability.md, each in its place there between two markers: one of the faults in which what instances and
// policies say is judged too, one of all others. A table of which nothing was done stays. Touches nothing of the page outside them.

import { placeBetween } from "../../scripts/support/page-part.ts";
import type { Outcome, Spread } from "../run.ts";

/** What one run leaves behind as JSON. */
export interface Results {
  readonly when: string;
  readonly machine: string;
  readonly node: string;
  readonly ovn: string;
  /** At the end. */
  readonly load: number;
  readonly outcomes: readonly Outcome[];
}

const parts = ["faults", "status"] as const;
const partOf = ({ wrongStatus }: Outcome): (typeof parts)[number] =>
  wrongStatus === null ? "faults" : "status";

export function table(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ group }) => group);
  const heads = [
    "fault",
    "times, right",
    "rows right after: median / worst",
    "another claim after: min / median / worst (bound)",
    "operations: median / most",
    "rows lost",
    "refused by the fence",
    ...(outcomes.some((one) => partOf(one) === "status") ? ["wrong status"] : []),
  ];
  const row = (cells: readonly string[]) => `| ${heads.map((_, at) => cells[at] ?? "").join(" | ")} |`;
  const lines = [row(heads), row(heads.map(() => "---"))];
  for (const [group, all] of groups) {
    lines.push(row([`**${group}**`]), ...all.map((one) => row(cellsOf(one))));
  }
  return `${lines.join("\n")}\n`;
}

function cellsOf(outcome: Outcome): readonly string[] {
  const { name, asked, right, converged, takeover, operations, lost, refused, wrongStatus } = outcome;
  return [
    name,
    `${asked}, ${right === asked ? "all" : String(right)}`,
    spread(converged, ["median", "worst"], seconds),
    takeover === null ? "–" : `${spread(takeover, ["min", "median", "worst"], seconds)}${bound(outcome)}`,
    spread(operations, ["median", "worst"], String),
    String(lost),
    String(refused),
    ...(wrongStatus === null ? [] : [String(wrongStatus)]),
  ];
}

function bound({ takeoverBoundMs, overBound }: Outcome): string {
  if (takeoverBoundMs === null) return "";
  return ` (${takeoverBoundMs / 1000} s${overBound === 0 ? "" : `; ${overBound} over it`})`;
}

function spread(
  of: Spread | null,
  which: readonly (keyof Spread)[],
  show: (value: number) => string,
): string {
  return of === null ? "–" : which.map((one) => show(of[one])).join(" / ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export async function intoPage(page: string, results: Results): Promise<void> {
  const { machine, node, ovn, load, when } = results;
  const where = `${machine}; Node ${node}, OVN ${ovn}; load ${load.toFixed(1)}; ${when.slice(0, 10)}.`;
  for (const part of parts) {
    const outcomes = results.outcomes.filter((one) => partOf(one) === part);
    if (outcomes.length > 0) await placeBetween(page, part, `${where}\n\n${table(outcomes)}`);
  }
}
