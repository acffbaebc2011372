// Places against places: what of the traffic all, some or none of the connections between them may have. Invariant: on each part of
// the traffic a cell says what follows from the verdicts of all of its connections, in both families; a part that is unknown
// could be of two kinds at least, by what was not read.

import { append } from "../lib/append.ts";
import type { FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import type { Reach, Seen } from "../crossings/reach.ts";
import { add, isNothing, nothingSeen, reachOf, Summaries } from "../crossings/reach.ts";
import type { PodKey } from "../model/facts.ts";
import type { Workload } from "../model/workload.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";

export interface RawCell {
  readonly from: string;
  readonly to: string;
  readonly reach: Reach;
  readonly traffic: Readonly<Record<Reach, Traffic>>;
}

/** What of a class is in one place: two of its pods are enough to know whether there is a connection. */
interface Part {
  readonly of: EndClass;
  readonly pods: readonly PodKey[];
  /** Stands for two pods or more. */
  readonly isWorkload: boolean;
}

export interface PlaceOf {
  readonly pod: (key: PodKey) => string;
  /** One that stands for pods. */
  readonly workload: (workload: Workload) => string;
}

export function cellsOf(
  families: readonly FamilyCrossings[],
  placeOf: PlaceOf,
  outside: string,
): readonly RawCell[] {
  const cells = new Map<string, Map<string, Seen>>();
  for (const family of families) {
    const summaries = new Summaries();
    const [sources, targets] = (["from", "to"] as const).map((role) =>
      partsOf(family, role, placeOf, outside),
    );
    for (const [from, own] of sources ?? [])
      for (const [to, others] of targets ?? [])
        see(cells, from, to, seenBetween(family, summaries, own, others));
  }
  return [...cells].flatMap(([from, row]) =>
    [...row].map(([to, seen]) => {
      const traffic = reachOf(seen);
      return { from, to, reach: wholeOf(traffic), traffic };
    }),
  );
}

function see(cells: Map<string, Map<string, Seen>>, from: string, to: string, found: Seen | null): void {
  if (found === null) return;
  const row = cells.get(from) ?? new Map<string, Seen>();
  cells.set(from, row);
  const seen = row.get(to);
  if (seen === undefined) row.set(to, found);
  else add(seen, found);
}

function partsOf(
  family: FamilyCrossings,
  role: Role,
  placeOf: PlaceOf,
  outside: string,
): ReadonlyMap<string, readonly Part[]> {
  const places = new Map<string, Part[]>();
  for (const of of family.classes(role)) {
    if (of.pieces.length > 0) append(places, outside, { of, pods: [], isWorkload: false });
    for (const place of new Set(of.workloads.map(({ workload }) => placeOf.workload(workload.new))))
      append(places, place, { of, pods: [], isWorkload: true });
    const pods = new Map<string, Set<PodKey>>();
    for (const { key } of of.pods) {
      const place = placeOf.pod(key);
      const some = pods.get(place) ?? new Set();
      pods.set(place, some.size < 2 ? some.add(key) : some);
    }
    for (const [place, some] of pods) append(places, place, { of, pods: [...some], isWorkload: false });
  }
  return places;
}

/** null: there is no connection. */
function seenBetween(
  family: FamilyCrossings,
  summaries: Summaries,
  from: readonly Part[],
  to: readonly Part[],
): Seen | null {
  const seen = nothingSeen();
  for (const one of from)
    for (const other of to)
      if (haveConnection(one, other)) add(seen, summaries.of(family.between(one.of, other.of)));
  return isNothing(seen) ? null : seen;
}

/** Not of a pod to itself, nor of an address to an address. */
function haveConnection(from: Part, to: Part): boolean {
  const [[one, ...more], [other, ...others]] = [from.pods, to.pods];
  if (from.isWorkload || to.isWorkload) return true;
  if (one === undefined || other === undefined) return one !== other;
  return one !== other || more.length > 0 || others.length > 0;
}

/** Some traffic that passes and some that does not make it `some`, whatever is unknown. */
function wholeOf({ all, some, none, unknown }: RawCell["traffic"]): Reach {
  if (some !== noTraffic || (all !== noTraffic && none !== noTraffic)) return "some";
  if (unknown !== noTraffic) return "unknown";
  return all === noTraffic ? "none" : "all";
}
