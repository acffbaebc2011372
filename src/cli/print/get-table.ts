// What `northgate get` lists, as tables for people. Users' text goes through model/quote.ts.

import type { RowCounts } from "../../backend-kind.ts";
import type { ListedName } from "../../explain/names.ts";
import type { ListedPolicy, ListedRule, PodOverview } from "../../explain/overview.ts";
import { refTextAmong } from "../../analysis/ref.ts";
import { tierText } from "../../explain/tiers.ts";
import { printable } from "../../model/quote.ts";
import { ruleText } from "./answer-table.ts";
import { aligned } from "../../lib/aligned.ts";
import { foldedText } from "../../lib/folded.ts";
import { counted } from "../../lib/counted.ts";

export interface CountedPolicy extends ListedPolicy {
  readonly rows: RowCounts;
}

interface PolicyColumns {
  /** With the places of policies. */
  readonly isWide: boolean;
  readonly hasRows: boolean;
}

/** `width`: of lines; null: as wide as they are. */
export function formatPolicies(
  policies: readonly CountedPolicy[],
  width: number | null,
  { isWide, hasRows }: PolicyColumns = { isWide: false, hasRows: true },
): string {
  if (policies.length === 0) return "no policies\n";
  const head = ["ORDER", "TIER", "PRIORITY", "POLICY", "SUBJECTS", "INGRESS", "EGRESS"];
  const place = (text: string): readonly string[] => (isWide ? [text] : []);
  const ofRows = (text: string): readonly string[] => (hasRows ? [text] : []);
  const nameOf = refTextAmong(policies.map(({ policy }) => policy));
  const lines = policies.map(
    ({ order, priority, policy, subjects, workloads, rules, rows, state, place: at, ...tier }) => [
      String(order),
      printable(tierText(tier)),
      priority === null ? "-" : String(priority),
      printable(nameOf(policy)),
      subjectsText(subjects, workloads),
      String(rules.ingress),
      String(rules.egress),
      ...ofRows(Object.values(rows).join("+")),
      state,
      ...place(printable(at ?? "-")),
    ],
  );
  return text([[...head, ...ofRows("ROWS"), "STATE", ...place("PLACE")], ...lines], width);
}

function subjectsText(pods: number | null, workloads: number | null): string {
  if (pods === null || workloads === null) return "?";
  if (workloads === 0) return counted(pods, "pod");
  return pods === 0
    ? counted(workloads, "workload")
    : `${counted(pods, "pod")}, ${counted(workloads, "workload")}`;
}

export function formatNames(names: readonly ListedName[], width: number | null): string {
  if (names.length === 0) return "no names\n";
  const lines = names.map(({ name, addresses, policies, isKnown }) => [
    ...[printable(name), String(policies)],
    isKnown ? addresses.join(", ") || "none" : "unknown",
  ]);
  return text([["NAME", "POLICIES", "ADDRESSES"], ...lines], width);
}

export function formatRules(rules: readonly ListedRule[], width: number | null): string {
  if (rules.length === 0) return "no rules\n";
  const head = ["ORDER", ...ruleHead(rules)];
  const cells = cellsAmong(rules);
  const table = text([head, ...rules.map((rule) => [String(rule.order ?? "-"), ...cells(rule)])], width);
  return `${table}${hitsNote(rules, width)}`;
}

function ruleHead(rules: readonly ListedRule[]): readonly string[] {
  const hits = rules.some((one) => one.hits !== undefined) ? ["HITS", "SINCE"] : [];
  return ["TIER", "POLICY", "RULE", "ACTION", ...hits, "PEERS", "PORTS", "PLACE"];
}

/** Packets, and when the first node began to count; where there are none, when the last one began. */
function hitCells({ hits }: ListedRule): readonly string[] {
  if (hits === undefined) return [];
  if (hits.packets === null) return ["-", "-"];
  return [String(hits.packets), hits.packets === 0 ? hits.allSince : hits.since];
}

/** Why rules have no counts, each reason once. */
function hitsNote(rules: readonly ListedRule[], width: number | null): string {
  const without = rules.flatMap(({ hits }) => (hits?.packets === null ? [hits.reason] : []));
  const lines = Array.from(
    Map.groupBy(without, (reason) => reason),
    ([reason, all]) => `- of ${counted(all.length, "rule")}: not counted: ${printable(reason)}\n`,
  );
  return lines.length === 0 ? "" : foldedText(`\n${lines.join("")}`, width);
}

export function formatPod(
  { pod, node, ips, exempt, egress, ingress }: PodOverview,
  width: number | null,
): string {
  const where =
    ips.length === 0 && node === null ? [] : [ips.join(" "), `on ${printable(node ?? "no node")}`];
  const head = foldedText(`${[printable(pod), ...where].join("  ")}\n`, width);
  if (exempt) return `${head}\npolicies do not apply to it: it is not on the pod network\n`;
  const inside = width === null ? null : width - 2;
  const cells = cellsAmong([...egress, ...ingress]);
  const part = (title: string, rules: readonly ListedRule[]) => {
    const lines = [ruleHead(rules), ...rules.map(cells)];
    const told = rules.length === 0 ? ["no rule applies: allowed"] : aligned(lines, inside);
    return `\n${title}\n${told.map((line) => `  ${line}\n`).join("")}`;
  };
  const note = hitsNote([...egress, ...ingress], width);
  return `${head}${part("egress, in order", egress)}${part("ingress, in order", ingress)}${note}`;
}

function cellsAmong(rules: readonly ListedRule[]): (rule: ListedRule) => readonly string[] {
  const nameOf = refTextAmong(rules.map(({ policy }) => policy));
  return (one) => ruleCells(one, nameOf(one.policy));
}

function ruleCells(one: ListedRule, policy: string): readonly string[] {
  const { rule, peers, ports } = one;
  return [
    printable(tierText(one)),
    printable(policy),
    rule === null ? "isolation" : ruleText(rule),
    rule?.word ?? "Deny",
    ...hitCells(one),
    peers.length === 0 ? "none" : printable(peers.join("; ")),
    ports === null ? "any" : printable(ports.join(", ")) || "none",
    printable(rule?.place ?? ""),
  ];
}

function text(lines: readonly (readonly string[])[], width: number | null): string {
  return aligned(lines, width)
    .map((line) => `${line}\n`)
    .join("");
}
