// Recorded connections of a plan for a terminal. Long lists are cut and counted; `-o json` has all of it. Every line is made
// harmless, for it holds users' text.

import type { AnsweredVerdict, Caveat } from "../explain/answer.ts";
import { reasonsOf } from "../explain/sentence.ts";
import { section, sectionsText } from "../lib/text/sections.ts";
import { printable } from "../model/quote.ts";
import type { SeenEnd } from "../observe/decode/event.ts";
import type { Flow } from "../observe/record/record.ts";
import type { Age } from "../verdicts/worlds.ts";
import type { Counted, FlowChange, FlowsReport, UnjudgedFlow } from "./report.ts";

const shownChanges = 40;
const shownListed = 20;
const lineLength = 400;

/** `width`: of a terminal, whose lines are folded; null: they are not. */
export function flowsText(report: FlowsReport, width: number | null = null): string {
  const { recorded, unknown, otherwise } = report;
  const lines = [
    ...section("Recorded", [
      `${countText(recorded)}, ${report.since} to ${report.until}`,
      ...lineOf(unknown, "are unknown before and after"),
      ...lineOf(
        otherwise,
        "were seen with another verdict than the old world gives: it was not so when they were seen",
      ),
    ]),
    ...section("Changed", [countText(report.changed)]),
    ...changesLines(report),
    ...section("Not judged", firstOf(report.unjudged, unjudgedText)),
    ...section("Not seen", [...missedTexts(report), ...report.notes]),
  ];
  const safe = lines.map((line) => printable(line, lineLength).trimEnd());
  return sectionsText(safe, width);
}

/** Of each connection that changes, and why. */
export function changesLines({ changes }: Pick<FlowsReport, "changes">): readonly string[] {
  return [...changes.slice(0, shownChanges).flatMap(changeLines), ...restLine(changes, shownChanges)];
}

/** The first of them, and how many more there are. */
export function firstOf<T>(all: readonly T[], textOf: (one: T) => string): readonly string[] {
  return [...all.slice(0, shownListed).map(textOf), ...restLine(all, shownListed)];
}

export function countText({ flows, connections }: Counted): string {
  return `${flows} distinct ${flows === 1 ? "connection" : "connections"}, opened ${connections} times`;
}

function lineOf(counts: Counted, what: string): readonly string[] {
  return counts.flows === 0 ? [] : [`${countText(counts)} ${what}`];
}

function changeLines(change: FlowChange): readonly string[] {
  const { old, new: next } = change;
  return section(`${old} → ${next}`, [
    `${flowText(change)}   opened ${change.connections} times`,
    `before: ${reasonsIn(change, "old", old)}`,
    `after: ${reasonsIn(change, "new", next)}`,
  ]);
}

function reasonsIn(change: FlowChange, age: Age, verdict: AnsweredVerdict): string {
  const caveats: readonly Caveat[] = change.caveats[age];
  return reasonsOf({ verdict, ...change.by[age], caveats });
}

export function unjudgedText(flow: UnjudgedFlow): string {
  return `${flowText(flow)}   opened ${flow.connections} times: ${flow.why}`;
}

function flowText({ from, to, protocol, port }: Flow): string {
  const what = typeof protocol === "number" ? `protocol ${protocol}` : protocol;
  return `${endText(from)} → ${endText(to)} ${what}${port === null ? "" : ` ${port}`}`;
}

function endText({ ip, pod }: SeenEnd): string {
  return pod === null ? ip : `${pod.namespace}/${pod.name}`;
}

/** Of what no record has, too. */
export function missedTexts({
  missed: { lost, undirected, beyondLimit },
}: Pick<FlowsReport, "missed">): readonly string[] {
  const counted: readonly (readonly [number, string])[] = [
    [lost, "events that were not taken in time"],
    [undirected, "events of open connections whose client is not known"],
    [beyondLimit, "events of connections beyond the most that a record keeps"],
  ];
  return [
    "connections outside the time or the nodes of the record, and those that no sampled rule judges",
    ...counted.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ];
}

function restLine(all: readonly unknown[], limit: number): readonly string[] {
  const rest = all.length - limit;
  return rest > 0 ? [`… and ${rest} more; -o json has all`] : [];
}
