// What the page asks of a plan: its lines, a window of its matrix and the classes of a cell, all of the part that is asked for.
// Every answer is bounded. A part is made once for a report.

import type { PlanFilter, PlanPart } from "../plan/filtered.ts";
import { partOf, windowOf } from "../plan/filtered.ts";
import { changeOf, classesOf } from "../plan/matrix.ts";
import type { PlanReport, SummaryLine, VerdictClass } from "../plan/report.ts";
import { causesText, decidersText, lineTrafficText, unjudgedText } from "../plan/words.ts";
import { trafficText } from "../verdicts/traffic-words.ts";
import type { CachedValue } from "./background-cache.ts";
import type { Query } from "./query.ts";
import { BadQuestion, limitOf, searchOf, textOf } from "./query.ts";
import type { ClassesShown, ClassShown, Making, PlanLine, PlanShown } from "./shown.ts";
import type { ShownWorld } from "./world.ts";

const mostClasses = 50;
const mostObjects = 50;
const mostPodsOfClass = 20;
const mostLines = 200;
const mostTexts = 10;
const windowSize = { rows: 40, columns: 25 };
const noPlan = "nothing is compared: start with --plan-against dir:OLD";

export function planOf({ plan }: ShownWorld, query: Query): PlanShown | Making {
  if (plan === null) throw new BadQuestion(noPlan);
  const made = plan.report();
  return made === null ? { isMaking: true } : planShown(made, plan.against, query);
}

export function planClassesOf({ plan }: ShownWorld, query: Query): ClassesShown {
  if (plan === null) throw new BadQuestion(noPlan);
  const made = plan.report();
  return made === null ? { total: 0, classes: [] } : classesShown(made.value, query);
}

/** `against`: what is compared with, for people. */
export function planShown(
  { value: report, revision }: CachedValue<PlanReport>,
  against: string,
  query: Query,
): PlanShown {
  const { objects, pods, workloads, rows, verdicts, unjudged, caveats, cni } = report;
  const counts: Record<string, number> = {};
  for (const one of verdicts.changes) counts[changeOf(one)] = (counts[changeOf(one)] ?? 0) + 1;
  const { changes, summary, matrix } = partFor(report, query);
  const at = {
    row: limitOf(query, 0, Number.MAX_SAFE_INTEGER, "row"),
    column: limitOf(query, 0, Number.MAX_SAFE_INTEGER, "column"),
  };
  const few = <T>(list: readonly T[]) => ({ total: list.length, shown: list.slice(0, mostObjects) });
  return {
    ...{ isMaking: false, revision, against },
    objects: {
      ...{ added: few(objects.added), removed: few(objects.removed) },
      changed: few(objects.changed.map((one) => ({ ...one, fields: one.fields.slice(0, mostObjects) }))),
    },
    pods: { added: few(pods.added), removed: few(pods.removed) },
    workloads: { added: few(workloads.added), removed: few(workloads.removed) },
    rows: cni === undefined ? { add: rows.add, change: rows.change, delete: rows.delete } : null,
    verdicts: { total: verdicts.changes.length, counts },
    part: { classes: changes.length },
    lines: {
      total: summary.length,
      shown: summary.slice(0, limitOf(query, 20, mostLines, "lines")).map(shownLine),
    },
    matrix: windowOf(matrix, at, windowSize),
    caveats: [...unjudged.map((one) => ({ code: "Not judged", text: unjudgedText(one) })), ...caveats],
  };
}

export function classesShown(report: PlanReport, query: Query): ClassesShown {
  const { changes } = partFor(report, query, "");
  const found = classesOf({ changes }, textOf(query, "from"), textOf(query, "to"));
  const harm = (one: VerdictClass): number => ["deny", "allow", "unknown"].indexOf(one.new);
  const classes = found.toSorted((a, b) => harm(a) - harm(b));
  const shown = classes.slice(0, limitOf(query, 20, mostClasses));
  return { total: classes.length, classes: shown.map(shownClass) };
}

const parts = new WeakMap<PlanReport, Map<string, PlanPart>>();
/** A part of a plan between 500 namespaces may have 250,000 cells. */
const mostParts = 4;

function partFor(report: PlanReport, query: Query, namespace = searchOf(query, "namespace")): PlanPart {
  const filter: PlanFilter = {
    becomes: becomesOf(query),
    namespace: namespace.toLowerCase(),
    policy: searchOf(query, "policy").toLowerCase(),
  };
  const key = JSON.stringify(filter);
  const made = parts.get(report) ?? new Map<string, PlanPart>();
  parts.set(report, made);
  const part = made.get(key) ?? partOf(report, filter);
  if (made.size >= mostParts) made.clear();
  made.set(key, part);
  return part;
}

function becomesOf(query: Query): PlanFilter["becomes"] {
  const text = textOf(query, "becomes");
  if (text === "" || text === "allow" || text === "deny" || text === "unknown")
    return text === "" ? null : text;
  throw new BadQuestion("becomes: allow, deny or unknown");
}

function shownLine(line: SummaryLine): PlanLine {
  const { change, old, new: next, from, to, effects } = line;
  return {
    ...{ change, old, new: next, from, to, traffic: lineTrafficText(line) },
    causes: causesText(line).slice(0, mostTexts),
    effects: effects.map(({ text }) => text).slice(0, mostTexts),
  };
}

function shownClass(one: VerdictClass): ClassShown {
  const ends = ({ title, pods, workloads, addresses }: VerdictClass["from"]) => ({
    ...{ title, pods: pods.slice(0, mostPodsOfClass), addresses: addresses.slice(0, mostPodsOfClass) },
    workloads: workloads.slice(0, mostPodsOfClass),
  });
  const total = ({ pods, workloads, addresses }: VerdictClass["from"]) =>
    pods.length + workloads.length + addresses.length;
  return {
    ...one,
    ...{ from: ends(one.from), to: ends(one.to) },
    totals: { from: total(one.from), to: total(one.to) },
    words: { traffic: trafficText(one.traffic), deciders: decidersText(one) },
  };
}
