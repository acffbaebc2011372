// A plan's parts in words, the same in every form of output: objects and fields, rows, traffic, and the deciding rule. The words
// hold users' text as it is; the code that prints them makes it harmless for a terminal or for markdown.

import type { Ref } from "../analysis/ref.ts";
import { refText, ruleText } from "../analysis/ref.ts";
import type {
  ChangedField,
  Decider,
  Deciders,
  Note,
  RowChange,
  Traffic,
  Unjudged,
  VerdictClass,
} from "./report.ts";
import { axes, icmpOf, whole } from "../verdicts/axes.ts";

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

/** "tcp 80,443; udp", "all traffic". */
export function trafficText(traffic: readonly Traffic[]): string {
  const texts = traffic.map(oneText);
  const isAll = texts.length === axes.length && texts.every((text) => !/\d/.test(text));
  return isAll ? "all traffic" : texts.join("; ");
}

function oneText(traffic: Traffic): string {
  const { sourcePorts } = traffic;
  return sourcePorts === undefined
    ? destinationText(traffic)
    : `${destinationText(traffic)} from port ${rangesText(sourcePorts)}`;
}

function destinationText({ protocol, ports, types, numbers }: Traffic): string {
  if (types !== undefined) return `icmp ${types.map(([first, last]) => icmpText(first, last)).join(", ")}`;
  if (protocol === "other") return `other protocols${numbers === undefined ? "" : ` ${rangesText(numbers)}`}`;
  if (ports === undefined || ports.join() === whole.tcp.join()) return protocol;
  return `${protocol} ${rangesText(ports)}`;
}

function rangesText(ranges: readonly (readonly [number, number])[]): string {
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function icmpText(first: number, last: number): string {
  const [from, to] = [icmpOf(first), icmpOf(last)];
  if (from.type === to.type && from.code === 0 && to.code === 255) return `type ${from.type}`;
  if (first === last) return `type ${from.type} code ${from.code}`;
  return `type ${from.type} code ${from.code} to type ${to.type} code ${to.code}`;
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

function deciderText({ by, policy, rule, policies = [] }: Decider, isKnown: boolean): string {
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
    case "address":
      return `${someText(policies)}, by an address that is unknown`;
    case "default":
      return "nobody";
    case "exempt":
      return "no subject";
  }
}

function someText(policies: readonly Ref[]): string {
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

export function classesText(count: number): string {
  if (count === 0) return "no verdict differs";
  return count === 1 ? "1 class" : `${count} classes`;
}

/** "NetworkPolicy shop/deny: no Pod is among the objects". */
export function unjudgedText({ policy, why }: Unjudged): string {
  return `${refText(policy)}: ${why}`;
}

export function noteText({ policy, text }: Note): string {
  return `${refText(policy)}: ${text}`;
}

/** Empty for both families. */
export function familiesText({ families }: VerdictClass): string {
  return families.length === 1 && families[0] === "IPv6" ? " (IPv6)" : "";
}
