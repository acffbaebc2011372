// What rules have counted, for people and as data. Rules that no packet of the node can meet are only counted.

import { aligned } from "../../lib/aligned.ts";
import { counted } from "../../lib/counted.ts";
import { printable } from "../../model/quote.ts";
import { keyOfRule, placeText, policyText } from "../../observe/rule.ts";
import type { RuleCount } from "../../observe/tally.ts";

/** A line a rule. `width`: of lines; null: as wide as they are. */
export function formatCounts(counts: readonly RuleCount[], width: number | null): string {
  const rules = [...Map.groupBy(sorted(counts), ({ rule }) => keyOfRule(rule)).values()];
  const here = rules.filter((one) => one.some(({ entries }) => entries > 0));
  const away = rules.length - here.length;
  const lines = [["POLICY", "RULE", "ACTION", "PACKETS", "NEW", "BYTES", "SINCE"], ...here.map(cellsOf)];
  const table = here.length === 0 ? ["no rule has flows on this node"] : aligned(lines, width);
  const below = away === 0 ? [] : ["", `${counted(away, "rule")} without flows on this node`];
  return [...table, ...below, ""].join("\n");
}

function cellsOf(counts: readonly RuleCount[]): readonly string[] {
  const [first] = counts;
  if (first === undefined) return [];
  const { rule } = first;
  const told = counts.find(({ state }) => state === "new");
  const sum = (column: "packets" | "bytes") => counts.reduce((total, one) => total + one[column], 0);
  return [
    ...[printable(policyText(rule)), placeText(rule), printable(rule.word)],
    ...[String(sum("packets")), told === undefined ? "-" : String(told.packets), String(sum("bytes"))],
    ageText(Math.max(...counts.map(({ ageMs }) => ageMs ?? 0))),
  ];
}

export function countsData(counts: readonly RuleCount[]): object {
  return {
    rules: sorted(counts).map(({ rule, state, packets, bytes, entries, ageMs }) => ({
      policy: rule.policy,
      rule: {
        ...{ direction: rule.direction, index: rule.rule, action: rule.action, word: rule.word },
      },
      ...{ connections: state, packets, bytes, flows: entries },
      sinceSeconds: ageMs === null ? null : Math.round(ageMs / 1000),
    })),
  };
}

function sorted(counts: readonly RuleCount[]): readonly RuleCount[] {
  const textOf = ({ rule, state }: RuleCount) =>
    [policyText(rule), rule.direction, String(rule.rule).padStart(9, "0"), state].join("\0");
  return counts
    .map((count) => ({ count, text: textOf(count) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ count }) => count);
}

/** `45s`, `12m`, `3h`, `5d`, as kubectl shows an age. */
function ageText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
