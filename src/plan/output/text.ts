// A plan for a terminal, for a reviewer: what comes to be denied, then allowed, then unknown, each with its cause and what it
// means; then what was edited. Long lists are cut and counted; `-o json` has all of it. Every line is made harmless, for it holds
// users' text.

import { refText } from "../../analysis/ref.ts";
import { section, sectionsText } from "../../lib/text/sections.ts";
import { printable } from "../../model/quote.ts";
import type { ChangedObject, ObjectChanges, PlanReport, RowChanges, SummaryLine } from "../report.ts";
import type { Shown } from "../words.ts";
import {
  countsText,
  cut,
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

const shownObjects = 20;
const shownPolicies = 20;
const shownFields = 4;
const shownRows = 6;
const shownClasses = 40;
const lineLength = 400;

/** `width`: of a terminal, whose lines are folded; null: they are not. */
export function planText(report: PlanReport, shown: Shown, width: number | null = null): string {
  const { objects, pods, workloads, rows, unjudged, notes, caveats } = report;
  const isRowsOnly = report.compared === "rows";
  const lines = [
    ...(isRowsOnly ? [] : verdictLines(report, shown)),
    ...section("Not judged", cut(unjudged.map(unjudgedText), shownPolicies)),
    ...section("Edited", isRowsOnly ? [] : objectLines(objects)),
    ...section("Pods", missingLines(pods)),
    ...section("Workloads", missingLines(workloadNames(workloads))),
    ...section("Nodes", shown.nodes ? cut(nodeTexts(report), shownClasses) : []),
    ...section("Rows", shown.rows || isRowsOnly ? rowLines(rows) : hiddenRows(report)),
    ...section("Notes", cut(notes.map(noteText), shownPolicies)),
    ...section(
      "Caveats",
      caveats.map(({ code, text }) => `${code}: ${text}`),
    ),
  ];
  const safe = lines.map((line) => printable(line, lineLength).trimEnd());
  return sectionsText(safe, width);
}

function verdictLines(report: PlanReport, shown: Shown): readonly string[] {
  const lines = shownLines(report, shown);
  if (lines.length === 0)
    return [report.unjudged.length === 0 ? "No verdict differs." : "No verdict differs of what was judged."];
  const rest = lines.length - shownClasses;
  const texts = lines
    .slice(0, shownClasses)
    .flatMap((line) => [...section(turnText(line), saidOf(line)), ""]);
  return rest > 0 ? [...texts, `… and ${rest} more; -o json has all`, ""] : texts;
}

function saidOf(line: SummaryLine): readonly string[] {
  const head = `${line.from} → ${line.to}   ${lineTrafficText(line)}`;
  return [head, ...whyTexts(line)];
}

/** Rows alone that differ are why the exit code is 2. */
function hiddenRows({ rows, verdicts }: PlanReport): readonly string[] {
  const isAlone = rows.changes.length > 0 && verdicts.changes.length === 0;
  return isAlone ? [`${countsText(rows)}; --rows shows them`] : [];
}

function objectLines({ added, changed, removed }: ObjectChanges): readonly string[] {
  const all = [
    ...withoutHomes(removed).map((text) => `- ${text}`),
    ...changed.flatMap(changedLines),
    ...withoutHomes(added).map((text) => `+ ${text}`),
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
