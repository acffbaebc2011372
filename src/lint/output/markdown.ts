// Findings as Markdown, for the comment of a pull request: a line of numbers and a table, the worst first, cut at what such a
// comment holds. Text of users is escaped: it makes no link, no mention of a person, no heading and no HTML.

import type { Report } from "../finding.ts";
import { severities } from "../finding.ts";
import { ruleOf } from "../catalogue.ts";
import type { Group } from "./groups.ts";
import { groupsOf, titleOf } from "./groups.ts";
import { nameOfRule, safe, summaryOf } from "./names.ts";

/** A comment holds 65,536 characters. */
const mostCharacters = 60_000;

export function formatMarkdown({ findings, counts }: Report): string {
  const open = groupsOf(findings.filter(({ suppressed }) => suppressed === null)).toSorted(
    (a, b) => severities.indexOf(a.first.severity) - severities.indexOf(b.first.severity),
  );
  const lines = [`**northgate lint:** ${summaryOf(counts)}`, ""];
  if (open.length === 0) return lines.join("\n");
  lines.push("| | Rule | Where | What | Fix |", "| --- | --- | --- | --- | --- |");
  let length = lines.join("\n").length;
  for (const [at, group] of open.entries()) {
    const row = rowOf(group);
    length += row.length + 1;
    if (length > mostCharacters) {
      const left = open.slice(at).reduce((sum, { all }) => sum + all.length, 0);
      lines.push("", `${left} more are not shown.`);
      break;
    }
    lines.push(row);
  }
  return `${lines.join("\n")}\n`;
}

function rowOf({ first, all }: Group): string {
  const { id, severity, rule, place, message, fix } = first;
  const where = [titleOf(all), rule === null ? "" : nameOfRule(rule), safe(place ?? "")];
  const cells = [
    severity,
    `${id} ${ruleOf(id)?.name ?? ""}`,
    where
      .filter((text) => text !== "")
      .map(escaped)
      .join("<br>"),
    escaped(safe(message)),
    escaped(safe(fix)),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** As character references, which no renderer of Markdown takes for its own signs. */
function escaped(text: string): string {
  return text.replace(/[&<>[\]()|`*_~#@!\\:$+{}]/g, (sign) => `&#${sign.codePointAt(0) ?? 0};`);
}
