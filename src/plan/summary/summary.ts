// The classes of a plan as a reviewer reads them: worst first, one line for what is one change to people, each with the edit that
// causes it and with what it means for pods. Words only: the report keeps the exact classes, and each line names its own.

import type { Needs } from "../../analysis/needs.ts";
import { refOfWorkload, refText } from "../../analysis/ref.ts";
import type { FactStore } from "../../model/fact-store.ts";
import { invariant } from "../../lib/invariant.ts";
import { isNodeWay } from "../../policy/outside.ts";
import { objectKey } from "../../model/object.ts";
import type { Judged } from "../judged.ts";
import { countOf } from "../members.ts";
import type { Deciders, SummaryLine, VerdictClass } from "../report.ts";
import type { Decided, DecidedOnes } from "../shown-classes.ts";
import type { SampleEnd } from "../../verdicts/comparison.ts";
import type { Both, PolicyWorld } from "../../verdicts/worlds.ts";
import type { Cause } from "./causes.ts";
import { Causes } from "./causes.ts";
import type { Edits } from "./edits.ts";
import { effectsOf } from "./effects.ts";
import type { Drawn, DrawnEnds, Placed } from "./drawn.ts";
import { byDestination, bySource } from "./drawn.ts";
import type { Line } from "./joined.ts";
import { Joining } from "./joined.ts";
import type { Loss } from "./lost.ts";
import { lossesOf } from "./lost.ts";
import { OwnNodes } from "./own-nodes.ts";

export interface Summarised {
  readonly worlds: Both<PolicyWorld>;
  /** Of the new world. */
  readonly facts: FactStore;
  readonly edits: Edits;
  readonly needs: Needs;
}

/** How many connections of a class are asked for their cause, and of all classes together. */
const askedOfOne = 2000;
const askedOfAll = 60_000;
const shownCauses = 3;

export function summaryOf(
  { classes, decidersOf, titles, comparisons }: Judged,
  { worlds, facts, edits, needs }: Summarised,
): readonly SummaryLine[] {
  const lines = linesOf({ classes, titles }, worlds);
  const limit = Math.max(1, Math.min(askedOfOne, Math.floor(askedOfAll / Math.max(1, classes.length))));
  const isDenied = classes.some((one) => one.new === "deny");
  const losses = isDenied ? lossesOf(comparisons, needs, facts) : [];
  const making = { causes: new Causes(edits), classes, decidersOf, limit, losses };
  return lines
    .map((line) => ({ line, made: lineOf(line, making) }))
    .sort(inOrder)
    .map(({ made }) => made);
}

/** Every connection of the classes is in one line, and no other but ways of nodes to their own pods. */
export function linesOf(
  { classes, titles }: Pick<Judged, "classes" | "titles">,
  worlds: Both<PolicyWorld>,
): readonly Line[] {
  const joining = new Joining(titles);
  const nodes = new OwnNodes(worlds);
  const placed = classes.map((one, at) => ({ class: one, at }));
  return [...Map.groupBy(placed, changeText).values()].flatMap((some) => fewestLines(some, joining, nodes));
}

interface Making {
  readonly causes: Causes;
  readonly classes: readonly VerdictClass[];
  readonly decidersOf: Judged["decidersOf"];
  readonly limit: number;
  readonly losses: readonly Loss[];
}

function lineOf(line: Line, { causes, classes, decidersOf, limit, losses }: Making): SummaryLine {
  const [first] = line.drawn;
  invariant(first !== undefined, "a line of no class");
  const asked = line.drawn.map((drawn) => decidedIn(drawn, { classes, decidersOf, limit }));
  const decided = asked.flatMap((one) => one.decided);
  const found = causes.of(decided);
  const { old, new: next, families, traffic } = first.class;
  return {
    change: changes[next],
    ...{ old, new: next, families, from: line.from, to: line.to, traffic },
    causes: causeTexts(found),
    isExcerpt: asked.some((one) => one.isExcerpt),
    tried: decided.length,
    effects: next === "deny" ? effectsOf(line.drawn, losses) : [],
    edits: distinctEdits(found),
    classes: placesOf(line.drawn),
    dividedByNodes: placesOf(line.drawn.filter(({ isClosed }) => isClosed)),
    isOwnNode: isOwnNodes(line, decided) && !asked.some((one) => one.isExcerpt),
  };
}

/** Of the connections of its classes, its own. */
function decidedIn(
  { class: own, at, from, to }: Drawn,
  { classes, decidersOf, limit }: Pick<Making, "classes" | "decidersOf" | "limit">,
): DecidedOnes {
  if (from === own.from && to === own.to) return decidersOf(own, limit);
  const ends = { from: namesOf(from), to: namesOf(to) };
  const some = at.map((place) => decidersOf(classAt(classes, place), limit));
  const isOwn = ({ ends: { from: source, to: target } }: Decided): boolean =>
    (source === null || ends.from.has(nameOf(source))) && (target === null || ends.to.has(nameOf(target)));
  return {
    decided: some.flatMap((one) => one.decided).filter(isOwn),
    isExcerpt: some.some((one) => one.isExcerpt),
  };
}

/** Of pods and workloads. */
function namesOf({ pods, workloads }: DrawnEnds): ReadonlySet<string> {
  return new Set([...pods, ...workloads.map(refText)]);
}

function nameOf(end: NonNullable<SampleEnd>): string {
  return "workload" in end ? refText(refOfWorkload(end.workload.new)) : end.key;
}

function classAt(classes: readonly VerdictClass[], place: number): VerdictClass {
  const one = classes[place];
  invariant(one !== undefined, "a place of no class");
  return one;
}

function placesOf(drawn: readonly Drawn[]): readonly number[] {
  return [...new Set(drawn.flatMap(({ at }) => at))].sort((a, b) => a - b);
}

/** By source or by destination, as it makes fewer lines. */
function fewestLines(classes: readonly Placed[], joining: Joining, nodes: OwnNodes): readonly Line[] {
  const plain = joining.joined(bySource(classes));
  // Of one class without addresses there is no other drawing: no way of a node makes a hole in it.
  const isPlain = classes.length === 1 && classes[0]?.class.from.addresses.length === 0;
  const columns = isPlain ? null : byDestination(classes, nodes);
  const other = columns === null ? null : joining.joined(columns);
  const isClosed = columns?.some((one) => one.isClosed) === true;
  const isBetter =
    other !== null && (other.length < plain.length || (isClosed && other.length === plain.length));
  return (isBetter ? other : plain).map((one) => joining.line(one));
}

function changeText({ class: { families, old, new: next, traffic } }: Placed): string {
  return JSON.stringify([families, old, next, traffic]);
}

const changes = { deny: "denied", allow: "allowed", unknown: "unknown" } as const;
const ranks: readonly SummaryLine["change"][] = ["denied", "allowed", "unknown"];

interface Ranked {
  readonly line: Line;
  readonly made: SummaryLine;
}

/** Worst first: by what comes to be, by what it means for pods, by how many ends there are. */
function inOrder(one: Ranked, other: Ranked): number {
  return (
    ranks.indexOf(one.made.change) - ranks.indexOf(other.made.change) ||
    other.made.effects.length - one.made.effects.length ||
    sizeOf(other.line) - sizeOf(one.line) ||
    (one.made.classes[0] ?? 0) - (other.made.classes[0] ?? 0)
  );
}

function sizeOf({ drawn }: Line): number {
  return drawn.reduce((sum, { from, to }) => {
    return sum + countOf(from) * countOf(to);
  }, 0);
}

function causeTexts(causes: readonly Cause[]): readonly string[] {
  const texts = causes.map(({ text }) => text).filter((text) => text !== "");
  const rest = texts.length - shownCauses;
  return rest > 0 ? [...texts.slice(0, shownCauses), `${rest} more causes`] : texts;
}

function distinctEdits(causes: readonly Cause[]): SummaryLine["edits"] {
  return [...new Set(causes.flatMap(({ edits }) => edits))];
}

/** Only what is known of each connection is left out of what people see. */
function isOwnNodes({ drawn }: Line, decided: readonly Decided[]): boolean {
  const isOfAddresses = drawn.every(({ from }) => from.pods.length + from.workloads.length === 0);
  return isOfAddresses && decided.length > 0 && decided.every(isByOwnNode);
}

/** Whether a way of a node to its own pods decides in one of the worlds. */
function isByOwnNode({ by }: Decided): boolean {
  return [by.old, by.new].some((deciders: Deciders) => {
    const { policy } = deciders.ingress;
    return policy !== undefined && isNodeWay(objectKey(policy, policy.namespace, policy.name));
  });
}
