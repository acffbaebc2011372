// A plan as a comment on a pull request: one line that says it all, the classes as a table, denials first, and the rows folded
// away. Always under 60,000 characters, because GitHub takes no more than 65,536. Users' text is escaped: it makes no links, no
// markup and no mentions.

import { printable } from "../model/quote.ts";
import type { PlanReport, RowChange, VerdictClass } from "./report.ts";
import {
  classesText,
  countsText,
  decidersText,
  familiesText,
  fieldText,
  refText,
  rowText,
  trafficText,
} from "./words.ts";

const limit = 60_000;
const shownClasses = 20;
const shownObjects = 30;
const cellLength = 300;

export function planMarkdown(report: PlanReport): string {
  const { objects, rows, verdicts, caveats, pods } = report;
  const notes = [
    ...(pods.added.length > 0 ? [`${pods.added.length} pods are new and not judged.`] : []),
    ...(pods.removed.length > 0 ? [`${pods.removed.length} pods are gone and not judged.`] : []),
    ...caveats.map(({ code, text }) => `${code}: ${text}`),
  ];
  const head = [
    `### Network policy plan: ${summaryOf(report)}`,
    ...classTable(verdicts.changes),
    ...notes.map((note) => `\n> ${safe(note)}`),
    ...folded("Objects", objectLines(objects), shownObjects),
  ].join("\n");
  const lines = rows.changes.map(rowLine);
  const room = limit - head.length - 200;
  return `${[head, ...folded(`Rows: ${countsText(rows)}`, lines, countWithin(lines, room))].join("\n")}\n`;
}

function summaryOf({ rows, verdicts }: PlanReport): string {
  const count = (to: string) => verdicts.changes.filter((one) => one.new === to).length;
  const parts = [
    verdicts.changes.length === 0 ? "no verdict differs" : classesText(verdicts.changes.length),
    ...(count("deny") > 0 ? [`${count("deny")} newly denied`] : []),
    ...(count("allow") > 0 ? [`${count("allow")} newly allowed`] : []),
    ...(count("unknown") > 0 ? [`${count("unknown")} unknown`] : []),
    rows.changes.length === 0 ? "no row differs" : `rows: ${countsText(rows)}`,
  ];
  return parts.join(", ");
}

function classTable(changes: readonly VerdictClass[]): readonly string[] {
  if (changes.length === 0) return [];
  const rows = changes.slice(0, shownClasses).map((one) => {
    const verdict = `${one.old} → **${one.new}**`;
    const ends = [one.from.title, one.to.title + familiesText(one)].map(safe);
    return `| ${[verdict, ...ends, safe(trafficText(one.traffic)), safe(decidersText(one))].join(" | ")} |`;
  });
  const rest = changes.length - rows.length;
  return [
    "",
    "| verdict | from | to | traffic | decided by |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    ...(rest > 0 ? ["", `… and ${rest} more classes.`] : []),
  ];
}

function objectLines({ added, changed, removed }: PlanReport["objects"]): readonly string[] {
  return [
    ...added.map((ref) => `- added ${safe(refText(ref))}`),
    ...changed.flatMap((object) =>
      object.fields.map((field) => `- ${safe(refText(object))}: ${safe(fieldText(field))}`),
    ),
    ...removed.map((ref) => `- removed ${safe(refText(ref))}`),
  ];
}

function rowLine(change: RowChange): string {
  return `- ${change.op} ${safe(rowText(change))}`;
}

/** How many of the lines fit. */
function countWithin(lines: readonly string[], room: number): number {
  let left = room;
  const count = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return count < 0 ? lines.length : count;
}

function folded(title: string, lines: readonly string[], count: number): readonly string[] {
  if (lines.length === 0) return [];
  const rest = lines.length - count;
  return [
    "",
    `<details><summary>${title}</summary>`,
    "",
    ...lines.slice(0, count),
    ...(rest > 0 ? [`- … and ${rest} more`] : []),
    "",
    "</details>",
  ];
}

/** Every character that markdown or HTML could take for its own is written as a number; so is @, which mentions people. */
function safe(text: string): string {
  return printable(text, cellLength).replace(
    /[\\`*_{}[\]<>()#+!|&@~$:.]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
