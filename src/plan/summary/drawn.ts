// The classes of one change, drawn in two ways that hold the same connections: by source, as the report has them, and by
// destination, where what each destination's sources have in common is one. By destination the ways by which nodes reach their
// own pods are taken out: a hole that is nothing but such a way is closed. Invariant: no other connection is added, none is lost.

import { append } from "../../lib/append.ts";
import { gapsIn } from "../../analysis/address-space.ts";
import type { Ref } from "../../analysis/ref.ts";
import { holdsNetwork } from "../../model/cidr.ts";
import type { PodKey } from "../../model/facts.ts";
import type { Cidr } from "../../model/ip.ts";
import { familyNames, familyOf, ipFamilies } from "../../model/ip.ts";
import type { VerdictClass } from "../report.ts";
import type { OwnNodes } from "./own-nodes.ts";

export interface DrawnEnds {
  readonly pods: readonly PodKey[];
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
}

/** Connections of one change as people read them. */
export interface Drawn {
  readonly class: VerdictClass;
  readonly from: DrawnEnds;
  readonly to: DrawnEnds;
  /** Places of the classes in the report that have connections of these. */
  readonly at: readonly number[];
  /** A way of a node to its own pods was a hole in the source. */
  readonly isClosed: boolean;
}

export interface Placed {
  readonly class: VerdictClass;
  readonly at: number;
}

/** The classes of a change with more pods than this stay as they are. */
const mostPods = 500_000;

export function bySource(classes: readonly Placed[]): readonly Drawn[] {
  return classes.map(({ class: one, at }) => ({
    ...{ class: one, from: one.from, to: one.to, at: [at], isClosed: false },
  }));
}

/** null: they are too many, their addresses are not told apart, or workloads are destinations. */
export function byDestination(classes: readonly Placed[], nodes: OwnNodes): readonly Drawn[] | null {
  const networks = new Set(
    classes.map(({ class: { to } }) => to.addresses.join()).filter((text) => text !== ""),
  );
  const pods = classes.reduce((sum, { class: { from, to } }) => sum + from.pods.length + to.pods.length, 0);
  const hasWorkloads = classes.some(({ class: { to } }) => to.workloads.length > 0);
  if (networks.size > 1 || pods > mostPods || hasWorkloads) return null;
  const columns = columnsOf(classes, nodes);
  const plain = countsOf(columns.map((one) => one.text));
  const closed = countsOf(columns.map((one) => one.closedText));
  const merged = Map.groupBy(columns, (one) => {
    const isBetter = one.isWhole || (closed.get(one.closedText) ?? 0) > (plain.get(one.text) ?? 0);
    return isBetter ? one.closedText : one.text;
  });
  const lists = new Map<string, readonly PodKey[]>();
  return [...merged].flatMap(([text, list]) => drawnOf(text, list, classes, lists));
}

/** Destinations on one node that the same classes have. */
interface Column {
  readonly classes: readonly Placed[];
  readonly to: DrawnEnds;
  readonly addresses: readonly Cidr[];
  readonly closed: readonly Cidr[];
  /** Equal for equal sources. */
  readonly text: string;
  /** Equal for equal sources with the node's own ways. */
  readonly closedText: string;
  /** With the node's own ways no address is left out. */
  readonly isWhole: boolean;
}

function columnsOf(classes: readonly Placed[], nodes: OwnNodes): readonly Column[] {
  const having = new Map<PodKey | null, Placed[]>();
  for (const one of classes) {
    for (const key of one.class.to.pods) append(having, key, one);
    if (one.class.to.addresses.length > 0) append(having, null, one);
  }
  const known = classes.flatMap(({ class: { from } }) => from.addresses);
  const alike = Map.groupBy(having, ([key, list]) => {
    const node = key === null ? null : nodes.nodeOf(key);
    return JSON.stringify([key === null, node, list.map(({ at }) => at)]);
  });
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const [key, list] = first;
    const pods = group.flatMap(([each]) => each ?? []);
    const networks = key === null ? (list[0]?.class.to.addresses ?? []) : [];
    const own = key === null ? [] : ownSources(key, list, nodes);
    return [columnOf(list, { pods, workloads: [], addresses: networks }, own, known)];
  });
}

function ownSources(key: PodKey, list: readonly Placed[], nodes: OwnNodes): readonly Cidr[] {
  const node = nodes.nodeOf(key);
  const families = list[0]?.class.families ?? [];
  return node === null
    ? []
    : nodes.sourcesOf(node).filter((cidr) => families.includes(familyNames[familyOf(cidr)]));
}

/** `known`: networks of all sources of the change. */
function columnOf(
  list: readonly Placed[],
  to: DrawnEnds,
  own: readonly Cidr[],
  known: readonly Cidr[],
): Column {
  const addresses = list.flatMap(({ class: { from } }) => from.addresses);
  const families = ipFamilies.filter((family) => list[0]?.class.families.includes(familyNames[family]));
  const whole = addresses.length === 0 ? [] : [...addresses, ...own];
  const isWhole =
    whole.length > addresses.length && families.every((family) => gapsIn(whole, family).length === 0);
  // Where other destinations do not have the source either, a way to this one is not what keeps it out.
  const meant = own.filter((cidr) => known.some((network) => holdsNetwork(network, cidr)));
  const closed = isWhole ? whole : addresses.length === 0 ? addresses : [...addresses, ...meant];
  const pods = list.flatMap(({ class: { from }, at }) =>
    from.pods.length + from.workloads.length > 0 ? [at] : [],
  );
  return {
    ...{ classes: list, to, addresses, closed, isWhole },
    text: JSON.stringify([pods, gapsText(addresses)]),
    closedText: JSON.stringify([pods, gapsText(closed)]),
  };
}

/** Equal for equal sets of addresses: what they leave out. */
export function gapsText(networks: readonly Cidr[]): string {
  return networks.length === 0 ? "none" : ipFamilies.flatMap((family) => gapsIn(networks, family)).join(" ");
}

/** `lists`: of pods, by the classes that they are of; equal ones are one list. */
function drawnOf(
  text: string,
  list: readonly Column[],
  all: readonly Placed[],
  lists: Map<string, readonly PodKey[]>,
): readonly Drawn[] {
  const [first] = list;
  const [any] = all;
  if (first === undefined || any === undefined) return [];
  const whose = first.classes.map(({ at }) => at).join();
  const pods = lists.get(whose) ?? first.classes.flatMap(({ class: one }) => one.from.pods);
  lists.set(whose, pods);
  const isClosed = list.some((one) => text === one.closedText && text !== one.text);
  const from = {
    pods,
    workloads: first.classes.flatMap(({ class: one }) => one.from.workloads),
    addresses: text === first.text ? first.addresses : fewestOf(first.closed),
  };
  const to = {
    pods: list.flatMap((one) => one.to.pods).sort(),
    workloads: [],
    addresses: list.flatMap((one) => one.to.addresses),
  };
  const at = [...new Set(list.flatMap((one) => one.classes.map((each) => each.at)))];
  return [{ class: any.class, from, to, at, isClosed }];
}

/** The fewest networks that hold the same addresses. */
function fewestOf(networks: readonly Cidr[]): readonly Cidr[] {
  return ipFamilies.flatMap((family) => gapsIn(gapsIn(networks, family), family));
}

function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
