// A plan for a terminal: what was edited, which rows differ, which verdicts. Long lists are cut and counted; `-o json` has all
// of it. Every line is made harmless, for it holds users' text.

import type { Ref } from "../analysis/ref.ts";
import { refText } from "../analysis/ref.ts";
import { printable } from "../model/quote.ts";
import type { ChangedObject, ObjectChanges, PlanReport, RowChanges, VerdictClass } from "./report.ts";
import {
  classesText,
  countsText,
  cut,
  decidersText,
  familiesText,
  fieldText,
  noteText,
  rowText,
  trafficText,
  unjudgedText,
} from "./words.ts";

const shownObjects = 20;
const shownPolicies = 20;
const shownFields = 4;
const shownRows = 6;
const shownClasses = 40;
const lineLength = 400;
const indent = " ".repeat(11);

export function planText(report: PlanReport): string {
  const { objects, pods, workloads, rows, verdicts, unjudged, notes, caveats } = report;
  const isRowsOnly = report.compared === "rows";
  const lines = [
    ...section("Objects", isRowsOnly ? [] : objectLines(objects)),
    ...section("Pods", missingLines(pods)),
    ...section("Workloads", missingLines(workloadNames(workloads))),
    ...section("Rows", rowLines(rows)),
    ...section("Verdicts", isRowsOnly ? [] : [classesText(verdicts.changes.length)]),
    ...classLines(verdicts.changes).map((line) => `  ${line}`),
    ...section("Not judged", cut(unjudged.map(unjudgedText), shownPolicies)),
    ...section("Notes", cut(notes.map(noteText), shownPolicies)),
    ...section(
      "Caveats",
      caveats.map(({ code, text }) => `${code}: ${text}`),
    ),
  ];
  return lines.map((line) => `${printable(line, lineLength).trimEnd()}\n`).join("");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => (at === 0 ? title : "").padEnd(indent.length) + line);
}

function objectLines({ added, changed, removed }: ObjectChanges): readonly string[] {
  const all = [
    ...added.map((ref: Ref) => `+ ${refText(ref)}`),
    ...changed.flatMap(changedLines),
    ...removed.map((ref: Ref) => `- ${refText(ref)}`),
  ];
  return all.length === 0 ? ["no object differs"] : cut(all, shownObjects);
}

function changedLines(object: ChangedObject): readonly string[] {
  const fields = object.fields.map(fieldText);
  const name = `~ ${refText(object)}`;
  return cut(fields, shownFields).map(
    (field, at) => `${at === 0 ? name : " ".repeat(name.length)}   ${field}`,
  );
}

function workloadNames({ added, removed }: PlanReport["workloads"]): InOne {
  return { added: added.map(refText), removed: removed.map(refText) };
}

interface InOne {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Of what is in one world only. */
function missingLines({ added, removed }: InOne): readonly string[] {
  const text = (sign: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${sign} ${names.length}, not judged: ${cut(names, 3).join(", ")}`];
  return [...text("+", added), ...text("-", removed)];
}

function rowLines(rows: RowChanges): readonly string[] {
  const { changes } = rows;
  if (changes.length === 0) return ["no row differs"];
  const texts = changes.map((change) => `${signs[change.op]} ${rowText(change)}`);
  const [first] = changes;
  if (changes.length === 1 && first !== undefined) return [`${countsText(rows)}: ${rowText(first)}`];
  return [countsText(rows), ...cut(texts, shownRows)];
}

const signs = { add: "+", change: "~", delete: "-" } as const;
const marks = { allow: "✓", deny: "✗", unknown: "?" } as const;

/** Columns of one width each, within reason. */
function classLines(changes: readonly VerdictClass[]): readonly string[] {
  const cells = changes
    .slice(0, shownClasses)
    .map((one) => [
      `${marks[one.new]} ${one.old} → ${one.new}`,
      `${one.from.title} → ${one.to.title}${familiesText(one)}`,
      trafficText(one.traffic),
      decidersText(one),
    ]);
  const widths = [0, 1, 2].map((at) =>
    Math.min(60, Math.max(0, ...cells.map((row) => row[at]?.length ?? 0))),
  );
  const lines = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("   "));
  const rest = changes.length - lines.length;
  return rest > 0 ? [...lines, `… and ${rest} more; -o json has all`] : lines;
}
