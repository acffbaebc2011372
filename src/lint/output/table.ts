// Findings for people at a terminal, by policy. Suppressed ones are counted, and not shown.

import { ruleOf } from "../catalogue.ts";
import type { Finding, Report } from "../finding.ts";
import { byPolicy, nameOfRef, nameOfRule, safe, summaryOf } from "./names.ts";

const severityWidth = "warning".length;

export function formatTable({ findings, counts }: Report): string {
  const open = findings.filter(({ suppressed }) => suppressed === null);
  const blocks = byPolicy(open).map(([policy, list]) =>
    [nameOfRef(policy), ...list.flatMap(linesOf), ""].join("\n"),
  );
  return [...blocks, summaryOf(counts), ""].join("\n");
}

function linesOf({ id, severity, rule, place, message, fix }: Finding): readonly string[] {
  const about = [ruleOf(id)?.name ?? "", rule === null ? "" : nameOfRule(rule), safe(place ?? "")];
  const head = [severity.padEnd(severityWidth), id, ...about.filter((text) => text !== "")].join("  ");
  const indent = " ".repeat(severityWidth + 4);
  return [`  ${head}`, `${indent}${safe(message)}`, ...(fix === "" ? [] : [`${indent}fix: ${safe(fix)}`])];
}
