// Who may reach a workload or a Service, and what a workload may reach: the answers of `northgate can reach`, which are made in a
// thread; here they are cut. And the workloads of one namespace against each other and what is beside them, as a graph.

import { endText, textOfWorkload } from "../../analysis/end-query.ts";
import { endOfGroup, podGroupOf } from "../../analysis/pod-groups.ts";
import type { AskedEnd, CanGroup, CanReport, Members } from "../../can/report.ts";
import { otherNamespaces, outsidePlace } from "../../matrix/matrix.ts";
import type { MatrixReport, Place } from "../../matrix/report.ts";
import { cellText } from "../../matrix/words.ts";
import { workloadText } from "../../model/workload.ts";
import { trafficText } from "../../verdicts/traffic-words.ts";
import { pagedEnd } from "../end.ts";
import type { Excerpt } from "../excerpt.ts";
import { excerpt } from "../excerpt.ts";
import type { Query } from "../query.ts";
import { NotThere, textOf } from "../query.ts";
import type { EndReachShown, GraphNode, GraphShown, MembersShown, ReachRow } from "../shown/end.ts";
import type { Making } from "../shown.ts";
import type { ShownWorld } from "../world.ts";

const mostRows = 60;
const mostMembers = 12;
const mostWhy = 3;
const mostCaveats = 20;
const mostNodes = 40;

/** By `end`. Throws NoSuchEnd. */
export function endReachOf({ reach, asked }: ShownWorld, query: Query): EndReachShown | Making {
  const end = endText(pagedEnd(query));
  // What is not there is no question for the thread.
  asked.endNamed(end);
  const made = reach(end);
  if (made === null) return { isMaking: true };
  const { revision, value } = made;
  const { caveats } = value.in;
  const others = value.out?.caveats.filter(({ text }) => !caveats.some((one) => one.text === text)) ?? [];
  return {
    ...{ isMaking: false, revision },
    in: rowsOf(value.in, "to"),
    out: value.out === null ? null : rowsOf(value.out, "from"),
    caveats: excerpt([...caveats, ...others], mostCaveats),
  };
}

/** `own`: the side that was asked about. */
function rowsOf(report: CanReport, own: "from" | "to"): Excerpt<ReachRow> {
  const other = own === "to" ? "from" : "to";
  const { total, shown } = excerpt(report.groups, mostRows);
  return { total, shown: shown.map((group) => rowOf(group, group[own], group[other], report[own])) };
}

function rowOf(group: CanGroup, own: Members, others: Members, end: AskedEnd | null): ReachRow {
  const { verdict, families, traffic, egress, ingress, why, example } = group;
  const of = end?.members?.pods ?? own.pods;
  return {
    ...{ verdict, families, egress, ingress, example, others: membersShown(others) },
    own: own.pods < of ? { pods: own.pods, of } : null,
    traffic: trafficText(traffic),
    why: why.slice(0, mostWhy),
  };
}

function membersShown({ workloads, addressesTitle }: Members): MembersShown {
  const { total, shown } = excerpt(workloads, mostMembers);
  return {
    workloads: {
      total,
      shown: shown.map((one) => ({
        ...{ title: one.kind === null ? one.title : `${one.title} (${one.kind})`, end: endOfGroup(one) },
        ...{ pods: one.pods, of: one.of },
      })),
    },
    addresses: addressesTitle,
  };
}

/** By `namespace`: at most so many nodes, those with the most pods. Throws NotThere. */
export function graphOf(world: ShownWorld, query: Query): GraphShown | Making {
  const namespace = textOf(query, "namespace");
  const ends = endsIn(world, namespace);
  if (ends.size === 0) throw new NotThere("there is no pod in the namespace");
  const made = world.matrix(namespace);
  if (made === null) return { isMaking: true };
  return { isMaking: false, revision: made.revision, ...graphIn(made.value, ends) };
}

function graphIn(
  { places, cells }: MatrixReport,
  ends: ReadonlyMap<string, string | null>,
): Omit<GraphShown, "isMaking" | "revision"> {
  const kept = new Set(
    [...places]
      .sort((a, b) => Number(isBeside(b)) - Number(isBeside(a)) || sizeOf(b) - sizeOf(a))
      .slice(0, mostNodes),
  );
  const shown = places.filter((place) => kept.has(place));
  const ranks = new Map(shown.map(({ name }, at) => [name, at]));
  return {
    total: places.length,
    nodes: shown.map((place): GraphNode => {
      const { name, pods } = place;
      return { name, end: ends.get(name) ?? null, isBeside: isBeside(place), pods };
    }),
    edges: cells.flatMap(({ from, to, reach, traffic }) => {
      const [one, other] = [ranks.get(from), ranks.get(to)];
      const isShown = one !== undefined && other !== undefined;
      return isShown ? [{ from: one, to: other, reach, text: cellText(traffic) }] : [];
    }),
  };
}

function isBeside({ name }: Place): boolean {
  return name === outsidePlace || name === otherNamespaces;
}

function sizeOf({ pods, workloads = 0 }: Place): number {
  return pods + workloads;
}

/** By the titles of the matrix; null: two workloads have the title, or no end names them. */
function endsIn({ facts, workloads }: ShownWorld, namespace: string): ReadonlyMap<string, string | null> {
  const ends = new Map<string, string | null>();
  const add = (title: string, end: string | null): void => {
    ends.set(title, ends.has(title) && ends.get(title) !== end ? null : end);
  };
  for (const pod of facts.pods.values()) {
    if (pod.namespace !== namespace) continue;
    const group = podGroupOf(pod);
    add(group.title, endOfGroup(group));
  }
  for (const one of workloads) if (one.namespace === namespace) add(workloadText(one), textOfWorkload(one));
  return ends;
}
