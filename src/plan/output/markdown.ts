// A plan as a comment on a pull request: one line that says it all, the changes as a table, worst first, and the details folded
// away. Always under 60,000 characters, because GitHub takes no more than 65,536. Users' text is escaped: it makes no links, no
// markup and no mentions.

import { refText } from "../../analysis/ref.ts";
import { printable } from "../../model/quote.ts";
import type { Shown } from "../words.ts";
import type { PlanReport, RowChange, SummaryLine } from "../report.ts";
import {
  countedTurns,
  countsText,
  decidersText,
  fieldText,
  lineTrafficText,
  nodeTexts,
  noteText,
  rowText,
  shownLines,
  turnText,
  unjudgedText,
  whyTexts,
  withoutHomes,
} from "../words.ts";

const limit = 60_000;
const mostLines = 20;
const shownExamples = 20;
const shownNodes = 30;
const shownObjects = 30;
const shownNotes = 30;
/** Characters for these parts; a character that is escaped counts as many. What is left is for rows. */
const roomOf = { lines: 25_000, objects: 8000, notes: 5000, examples: 6000, nodes: 4000 };
const cellLength = 300;

export function planMarkdown(report: PlanReport, shown: Shown): string {
  const { objects, rows, unjudged, caveats, pods, workloads } = report;
  const isRowsOnly = report.compared === "rows";
  const notes = [
    ...unjudged.map((one) => `Not judged: ${unjudgedText(one)}.`),
    ...(pods.added.length > 0 ? [`${pods.added.length} pods are new and not judged.`] : []),
    ...(pods.removed.length > 0 ? [`${pods.removed.length} pods were removed and are not judged.`] : []),
    ...missing("added", workloads.added.length),
    ...missing("removed", workloads.removed.length),
    ...report.notes.map((one) => `${noteText(one)}.`),
    ...caveats.map(({ code, text }) => `${code}: ${text}`),
  ];
  const lines = shownLines(report, shown);
  const head = [
    `### Network policy plan: ${headline(report, shown)}`,
    ...lineTable(lines),
    ...quoted(notes),
    ...folded("Edited objects", objectLines(objects), shownObjects, roomOf.objects),
    ...folded("Examples", exampleLines(report, lines), shownExamples, roomOf.examples),
    ...folded("Nodes and their own pods", nodeLines(report, shown), shownNodes, roomOf.nodes),
  ].join("\n");
  if (!shown.rows && !isRowsOnly) return `${head}\n`;
  const texts = rows.changes.map(rowLine);
  const room = limit - head.length - 200;
  return `${[head, ...folded(`Rows: ${countsText(rows)}`, texts, texts.length, room)].join("\n")}\n`;
}

/** "1 newly denied, DNS lost, 2 newly allowed". */
function headline(report: PlanReport, shown: Shown): string {
  const { compared, rows, verdicts, unjudged } = report;
  const lines = shownLines(report, shown);
  const none = compared === "rows" ? [] : ["no verdict differs"];
  const isOfRows =
    report.cni === undefined && (shown.rows || compared === "rows" || verdicts.changes.length === 0);
  return [
    ...(lines.length === 0 ? none : countedTurns(lines)),
    ...(unjudged.length > 0 ? [`${unjudged.length} not judged`] : []),
    ...(isOfRows ? [rows.changes.length === 0 ? "no row differs" : `rows: ${countsText(rows)}`] : []),
  ].join(", ");
}

function lineTable(lines: readonly SummaryLine[]): readonly string[] {
  if (lines.length === 0) return [];
  const all = lines.slice(0, mostLines).map((line) => {
    const why = whyTexts(line).map(safe).join("<br>");
    const cells = [line.from, line.to, lineTrafficText(line)].map(safe);
    return `| ${[`**${turnText(line)}**`, ...cells, why].join(" | ")} |`;
  });
  const rows = within(all, mostLines, roomOf.lines);
  const rest = lines.length - rows.length;
  return [
    "",
    "| change | from | to | traffic | why |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    ...(rest > 0 ? ["", `… and ${rest} more changes.`] : []),
  ];
}

/** A connection of each change, and its deciding rules. */
function exampleLines(
  { verdicts: { changes } }: PlanReport,
  lines: readonly SummaryLine[],
): readonly string[] {
  return lines.flatMap((line) =>
    line.classes.slice(0, 1).flatMap((at) => {
      const one = changes[at];
      if (one === undefined) return [];
      const { from, to, protocol, port } = one.example;
      const connection = `${from} → ${to}, ${protocol}${port === null ? "" : ` ${port}`}`;
      return [`- ${safe(connection)}: ${one.old} → ${one.new}, ${safe(decidersText(one))}`];
    }),
  );
}

function nodeLines(report: PlanReport, { nodes }: Shown): readonly string[] {
  return nodes ? nodeTexts(report).map((text) => `- ${safe(text)}`) : [];
}

function objectLines({ added, changed, removed }: PlanReport["objects"]): readonly string[] {
  return [
    ...withoutHomes(added).map((text) => `- added ${safe(text)}`),
    ...changed.flatMap((object) =>
      object.fields.map((field) => `- ${safe(refText(object))}: ${safe(fieldText(field))}`),
    ),
    ...withoutHomes(removed).map((text) => `- removed ${safe(text)}`),
  ];
}

function rowLine(change: RowChange): string {
  return `- ${change.op} ${safe(rowText(change))}`;
}

function missing(how: "added" | "removed", count: number): readonly string[] {
  if (count === 0) return [];
  return [`${count} workloads ${how === "added" ? "are new and" : "were removed and are"} not judged.`];
}

function quoted(notes: readonly string[]): readonly string[] {
  const lines = notes.map((note) => `\n> ${safe(note)}`);
  const shown = within(lines, shownNotes, roomOf.notes);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `\n> … and ${rest} more`] : shown;
}

/** The first lines, as many as fit. */
function within(lines: readonly string[], count: number, room: number): readonly string[] {
  let left = room;
  const fitting = lines.slice(0, count).findIndex((line) => (left -= line.length + 1) < 0);
  return lines.slice(0, fitting < 0 ? count : fitting);
}

function folded(title: string, lines: readonly string[], count: number, room: number): readonly string[] {
  if (lines.length === 0) return [];
  const shown = within(lines, count, room);
  const rest = lines.length - shown.length;
  return [
    "",
    `<details><summary>${title}</summary>`,
    "",
    ...shown,
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
