// A plan as a comment on a pull request: one line that says it all, the classes as a table, denials first, and the rows folded
// away. Always under 60,000 characters, because GitHub takes no more than 65,536. Users' text is escaped: it makes no links, no
// markup and no mentions.

import { refText } from "../analysis/ref.ts";
import { printable } from "../model/quote.ts";
import type { PlanReport, RowChange, VerdictClass } from "./report.ts";
import {
  classesText,
  countsText,
  decidersText,
  familiesText,
  fieldText,
  noteText,
  rowText,
  trafficText,
  unjudgedText,
} from "./words.ts";

const limit = 60_000;
const shownClasses = 20;
const shownObjects = 30;
const shownNotes = 30;
/** Characters for these parts; a character that is escaped counts as many. What is left is for rows. */
const roomOf = { classes: 30_000, objects: 10_000, notes: 5000 };
const cellLength = 300;

export function planMarkdown(report: PlanReport): string {
  const { objects, rows, verdicts, unjudged, caveats, pods, workloads } = report;
  const notes = [
    ...unjudged.map((one) => `Not judged: ${unjudgedText(one)}.`),
    ...(pods.added.length > 0 ? [`${pods.added.length} pods are new and not judged.`] : []),
    ...(pods.removed.length > 0 ? [`${pods.removed.length} pods were removed and are not judged.`] : []),
    ...missing("added", workloads.added.length),
    ...missing("removed", workloads.removed.length),
    ...report.notes.map((one) => `${noteText(one)}.`),
    ...caveats.map(({ code, text }) => `${code}: ${text}`),
  ];
  const head = [
    `### Network policy plan: ${summaryOf(report)}`,
    ...classTable(verdicts.changes),
    ...quoted(notes),
    ...folded("Objects", objectLines(objects), shownObjects, roomOf.objects),
  ].join("\n");
  const lines = rows.changes.map(rowLine);
  const room = limit - head.length - 200;
  return `${[head, ...folded(`Rows: ${countsText(rows)}`, lines, lines.length, room)].join("\n")}\n`;
}

function summaryOf({ compared, rows, verdicts, unjudged }: PlanReport): string {
  const count = (to: string) => verdicts.changes.filter((one) => one.new === to).length;
  const none = compared === "rows" ? [] : ["no verdict differs"];
  const parts = [
    ...(verdicts.changes.length === 0 ? none : [classesText(verdicts.changes.length)]),
    ...(count("deny") > 0 ? [`${count("deny")} newly denied`] : []),
    ...(count("allow") > 0 ? [`${count("allow")} newly allowed`] : []),
    ...(count("unknown") > 0 ? [`${count("unknown")} unknown`] : []),
    ...(unjudged.length > 0 ? [`${unjudged.length} not judged`] : []),
    rows.changes.length === 0 ? "no row differs" : `rows: ${countsText(rows)}`,
  ];
  return parts.join(", ");
}

function classTable(changes: readonly VerdictClass[]): readonly string[] {
  if (changes.length === 0) return [];
  const all = changes.slice(0, shownClasses).map((one) => {
    const verdict = `${one.old} → **${one.new}**`;
    const ends = [one.from.title, one.to.title + familiesText(one)].map(safe);
    return `| ${[verdict, ...ends, safe(trafficText(one.traffic)), safe(decidersText(one))].join(" | ")} |`;
  });
  const rows = within(all, shownClasses, roomOf.classes);
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
