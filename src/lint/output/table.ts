// Findings for people at a terminal, by policy. Suppressed ones are counted, and not shown. What is found of many policies that
// differ in their namespace alone is shown once. Two screens at most, the worst first to be shown, unless all are asked for.

import { ruleOf } from "../catalogue.ts";
import { foldedText } from "../../lib/folded.ts";
import type { Finding, Report } from "../finding.ts";
import { severities } from "../finding.ts";
import { counted } from "../words.ts";
import type { Group } from "./groups.ts";
import { blocksOf, groupsOf } from "./groups.ts";
import { nameOfRule, safe, summaryOf } from "./names.ts";

export interface TableOptions {
  /** However many there are. */
  readonly all: boolean;
  /** Of a screen; absent: it is not known. */
  readonly lines?: number;
  /** Of lines; null: as wide as they are. */
  readonly width?: number | null;
}

const severityWidth = "warning".length;
const usualLines = 40;
/** Of a block: its title, and the empty line behind it. */
const around = 2;

export function formatTable(
  { findings, counts }: Report,
  { all, lines = usualLines, width = null }: TableOptions,
): string {
  const linesOf = (group: Group): readonly string[] =>
    textOf(group).flatMap((line) => foldedText(line, width).split("\n"));
  const groups = groupsOf(findings.filter(({ suppressed }) => suppressed === null));
  const chosen = all ? groups : withinLines(groups, 2 * lines, linesOf);
  const blocks = blocksOf(chosen).map((block) =>
    [foldedText(block.title, width), ...block.groups.flatMap(linesOf), ""].join("\n"),
  );
  return [...blocks, ...restOf(groups, chosen), summaryOf(counts), ""].join("\n");
}

/** The worst that fit, in their order. What is left over and the summary take two lines. */
function withinLines(
  groups: readonly Group[],
  most: number,
  linesOf: (group: Group) => readonly string[],
): readonly Group[] {
  const worst = groups.toSorted(
    (a, b) => severities.indexOf(a.first.severity) - severities.indexOf(b.first.severity),
  );
  let count = Math.min(worst.length, most);
  const linesOfAll = (some: readonly Group[]): number => {
    const own = some.reduce((sum, group) => sum + linesOf(group).length, 0);
    return own + around * blocksOf(some).length;
  };
  while (count > 1 && linesOfAll(worst.slice(0, count)) > most - 2) count -= 1;
  const kept = new Set(worst.slice(0, count));
  return groups.filter((group) => kept.has(group));
}

function restOf(groups: readonly Group[], chosen: readonly Group[]): readonly string[] {
  const left = groups.filter((group) => !chosen.includes(group)).flatMap(({ all }) => all);
  if (left.length === 0) return [];
  return [`${counted(left.length, "finding")} more: --all shows ${left.length === 1 ? "it" : "them"}`];
}

function textOf({ first, all }: Group): readonly string[] {
  const { id, severity, rule, message, fix } = first;
  const about = [ruleOf(id)?.name ?? "", rule === null ? "" : nameOfRule(rule), placeOf(first, all)];
  const head = [severity.padEnd(severityWidth), id, ...about.filter((text) => text !== "")].join("  ");
  const indent = " ".repeat(severityWidth + 4);
  return [`  ${head}`, `${indent}${safe(message)}`, ...(fix === "" ? [] : [`${indent}fix: ${safe(fix)}`])];
}

function placeOf({ place }: Finding, all: readonly Finding[]): string {
  if (place === null) return "";
  return all.length === 1 ? safe(place) : `${safe(place)} and ${all.length - 1} more`;
}
