// The table of docs/reliability.md, and its place there between two markers. Touches nothing of the page outside them.

import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";
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

const [begin, end] = ["<!-- faults: begin -->", "<!-- faults: end -->"];

export function table(outcomes: readonly Outcome[]): string {
  const groups = Map.groupBy(outcomes, ({ group }) => group);
  const lines = [
    "| fault | times, right | rows right after: median / worst | another claim after: min / median / worst (bound) | operations: median / most | rows lost | refused by the fence |",
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  for (const [group, all] of groups) {
    lines.push(`| **${group}** | | | | | | |`, ...all.map(line));
  }
  return `${lines.join("\n")}\n`;
}

function line(outcome: Outcome): string {
  const { name, asked, right, converged, takeover, operations, lost, refused } = outcome;
  const cells = [
    name,
    `${asked}, ${right === asked ? "all" : String(right)}`,
    spread(converged, ["median", "worst"], seconds),
    takeover === null ? "–" : `${spread(takeover, ["min", "median", "worst"], seconds)}${bound(outcome)}`,
    spread(operations, ["median", "worst"], String),
    String(lost),
    String(refused),
  ];
  return `| ${cells.join(" | ")} |`;
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
  const before = readFileSync(page, "utf8");
  const [head, tail] = [before.indexOf(begin), before.indexOf(end)];
  if (head < 0 || tail < head) throw new Error(`${page}: no ${begin} before ${end}`);
  const { machine, node, ovn, load, when } = results;
  const where = `${machine}; Node ${node}, OVN ${ovn}; load ${load.toFixed(1)}; ${when.slice(0, 10)}.`;
  const after = `${before.slice(0, head)}${begin}\n\n${where}\n\n${table(results.outcomes)}\n${before.slice(tail)}`;
  writeFileSync(page, await format(after, { ...(await resolveConfig(page)), filepath: page }));
}
