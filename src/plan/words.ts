// A plan's parts in words, the same in every form of output: objects and fields, rows, traffic, and the deciding rule. The words
// hold users' text as it is; the code that prints them makes it harmless for a terminal or for markdown.

import type { Ref } from "../analysis/ref.ts";
import { refText, ruleText } from "../analysis/ref.ts";
import type {
  ChangedField,
  Decider,
  Deciders,
  Note,
  PlanReport,
  RowChange,
  SummaryLine,
  Unjudged,
  VerdictClass,
} from "./report.ts";
import { namespacesText } from "./titles/few-ends.ts";
import type { Traffic } from "../verdicts/traffic-words.ts";
import { trafficText } from "../verdicts/traffic-words.ts";

const shownValue = 60;

/** The first lines, and how many are left out. */
export function cut(lines: readonly string[], limit: number): readonly string[] {
  const rest = lines.length - limit;
  return rest > 0 ? [...lines.slice(0, limit), `… and ${rest} more`] : lines;
}

export function fieldText({ field, old, new: next }: ChangedField): string {
  if (old === undefined) return `${field} + ${valueText(next)}`;
  if (next === undefined) return `${field} - ${valueText(old)}`;
  return `${field} ${valueText(old)} → ${valueText(next)}`;
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > shownValue ? `${text.slice(0, shownValue)}…` : text;
}

/** "ACL cluster-control:Egress:0:udp (match)": by the part of the id that names the policy and the rule, if it has one. */
export function rowText({ op, table, row, id, columns }: RowChange): string {
  const name = id.split(":").slice(2).join(":") || row;
  const changed = op === "change" ? ` (${Object.keys(columns).join(", ")})` : "";
  return `${table} ${name}${changed}`;
}

/** What people are shown beside the changes of verdicts. */
export interface Shown {
  readonly rows: boolean;
  /** The ways by which nodes reach their own pods. */
  readonly nodes: boolean;
}

export function shownLines({ verdicts }: PlanReport, { nodes }: Shown): readonly SummaryLine[] {
  return verdicts.summary.filter(({ isOwnNode }) => nodes || !isOwnNode);
}

/** The classes as they are, where such ways divide them. */
export function nodeTexts({ verdicts: { changes, summary } }: PlanReport): readonly string[] {
  return summary.flatMap((line) =>
    line.dividedByNodes.flatMap((at) => {
      const one = changes[at];
      if (one === undefined) return [];
      const ends = `${one.from.title} → ${one.to.title}${familiesText(one)}`;
      return [`${one.old} → ${one.new}   ${ends}   ${trafficText(one.traffic)}`];
    }),
  );
}

/** "2 newly denied", "DNS lost", "1 newly allowed". */
export function countedTurns(lines: readonly SummaryLine[]): readonly string[] {
  return (["denied", "allowed", "unknown"] as const).flatMap((change) => {
    const some = lines.filter((line) => line.change === change);
    if (some.length === 0) return [];
    const lost = new Set(some.flatMap(({ effects }) => effects.map(({ code }) => losses[code])));
    return [`${some.length} ${turns[change].toLowerCase()}`, ...lost];
  });
}

const losses = { DNS: "DNS lost", APIServer: "API server lost", Probes: "probes lost" } as const;

export function turnText({ change }: SummaryLine): string {
  return turns[change];
}

const turns = { denied: "NEWLY DENIED", allowed: "NEWLY ALLOWED", unknown: "NOW UNKNOWN" } as const;

/** "everything → shop app=db, tcp 5432": a change's ends and traffic. */
export function endsText(line: SummaryLine): string {
  return `${line.from} → ${line.to}, ${lineTrafficText(line)}`;
}

/** Its causes and what it means, as sentences. */
export function whyTexts(line: SummaryLine): readonly string[] {
  return [...causesText(line), ...line.effects.map(({ text }) => text)];
}

/** "udp 53, tcp 53 (IPv6)". */
export function lineTrafficText(line: SummaryLine): string {
  const rank = ({ protocol }: Traffic) => (protocol === "udp" ? 0 : 1);
  const sorted = line.traffic.toSorted((one, other) => rank(one) - rank(other));
  return trafficText(sorted).replaceAll("; ", ", ") + familiesText(line);
}

/** Each on a line of its own. */
export function causesText({ causes, isExcerpt, tried, old, change }: SummaryLine): readonly string[] {
  const [first, ...rest] = causes;
  const before = old === "unknown" || change === "unknown" ? [`it was ${was[old]} before`] : [];
  if (first === undefined) return before;
  const shown = isExcerpt ? `${first} (found by trying ${tried} of these connections)` : first;
  return [shown, ...rest, ...before];
}

const was = { allow: "allowed", deny: "denied", unknown: "unknown" } as const;

/** Objects that differ by their namespace alone are one text. */
export function withoutHomes(refs: readonly Ref[]): readonly string[] {
  const alike = Map.groupBy(refs, ({ group, kind, namespace, name }) =>
    namespace === null || (group === "" && kind === "Pod")
      ? JSON.stringify([group, kind, namespace, name])
      : JSON.stringify([group, kind, name]),
  );
  return [...alike.values()].map((list) => {
    const [first] = list;
    if (first === undefined || list.length === 1) return first === undefined ? "" : refText(first);
    return `${first.kind} ${first.name} in ${namespacesText(list.flatMap(({ namespace }) => namespace ?? []))}`;
  });
}

/** The rule that decided before and the one that does now, each on the side that makes the verdict what it is. */
export function decidersText({ old, new: next, by }: VerdictClass): string {
  const sides = { old: sideOf(by.old, old), new: sideOf(by.new, next) };
  const before = by.old[sides.old ?? sides.new ?? "egress"];
  const after = by.new[sides.new ?? sides.old ?? "egress"];
  const isSame = before.policy !== undefined && after.policy !== undefined && isSamePolicy(before, after);
  return `${deciderText(before, false)} → ${deciderText(after, isSame)}`;
}

/** The side that keeps a connection from being allowed; null: both allow. */
function sideOf({ egress, ingress }: Deciders, verdict: string): "egress" | "ingress" | null {
  if (verdict === "allow") return null;
  if (egress.verdict === verdict) return "egress";
  return ingress.verdict === verdict ? "ingress" : null;
}

function isSamePolicy(one: Decider, other: Decider): boolean {
  return JSON.stringify(one.policy) === JSON.stringify(other.policy);
}

export function deciderText({ by, policy, rule, policies = [] }: Decider, isKnown: boolean): string {
  switch (by) {
    case "rule":
      return (
        (isKnown || policy === undefined ? "" : `${policy.name} `) +
        (rule === undefined ? "" : ruleText(rule.direction, rule))
      );
    case "isolation":
      return `isolation by ${someText(policies)}`;
    case "tie":
      return `tie of ${someText(policies)}`;
    case "open":
      return `open for ${someText(policies)}`;
    case "address":
      return `${someText(policies)}, by an address that is unknown`;
    case "default":
      return "nobody";
    case "exempt":
      return "no subject";
  }
}

export function someText(policies: readonly Ref[]): string {
  const names = policies.slice(0, 2).map(refText);
  const rest = policies.length - names.length;
  return names.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** "12 to add, 3 to change"; "" for none. */
export function countsText(counts: Readonly<Record<"add" | "change" | "delete", number>>): string {
  return (["add", "change", "delete"] as const)
    .flatMap((op) => (counts[op] === 0 ? [] : [`${counts[op]} to ${op}`]))
    .join(", ");
}

/** "NetworkPolicy shop/deny: no Pod is among the objects". */
export function unjudgedText({ policy, why }: Unjudged): string {
  return `${refText(policy)}: ${why}`;
}

export function noteText({ policy, text }: Note): string {
  return `${refText(policy)}: ${text}`;
}

/** Empty for both families. */
export function familiesText({ families }: Pick<VerdictClass, "families">): string {
  return families.length === 1 && families[0] === "IPv6" ? " (IPv6)" : "";
}
