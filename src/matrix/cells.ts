// Places against places: what of the traffic all, some or none of the connections between them may have. Invariant: on each part of
// the traffic a cell says what follows from the verdicts of all of its connections, in both families; a part that is unknown
// could be of two kinds at least, by what was not read.

import type { Crossing, FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import type { PodKey } from "../model/facts.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { Reach } from "./report.ts";

/** The traffic that is allowed, denied or unknown between some two ends. */
interface Seen {
  allow: Traffic;
  deny: Traffic;
  unknown: Traffic;
}

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
}

export type PlaceOf = (pod: PodKey) => string;

export function cellsOf(
  families: readonly FamilyCrossings[],
  placeOf: PlaceOf,
  outside: string,
): readonly RawCell[] {
  const cells = new Map<string, Map<string, Seen>>();
  for (const family of families) {
    const summary = new Summaries();
    const [sources, targets] = (["from", "to"] as const).map((role) =>
      partsOf(family, role, placeOf, outside),
    );
    for (const [from, own] of sources ?? [])
      for (const [to, others] of targets ?? []) see(cells, from, to, summary.of(family, own, others));
  }
  return [...cells].flatMap(([from, row]) => [...row].map(([to, seen]) => ({ from, to, ...reachOf(seen) })));
}

function see(cells: Map<string, Map<string, Seen>>, from: string, to: string, found: Seen | null): void {
  if (found === null) return;
  const row = cells.get(from) ?? new Map<string, Seen>();
  cells.set(from, row);
  const seen = row.get(to);
  if (seen === undefined) row.set(to, found);
  else add(seen, found);
}

function add(seen: Seen, { allow, deny, unknown }: Readonly<Seen>): void {
  seen.allow |= allow;
  seen.deny |= deny;
  seen.unknown |= unknown;
}

function partsOf(
  family: FamilyCrossings,
  role: Role,
  placeOf: PlaceOf,
  outside: string,
): ReadonlyMap<string, readonly Part[]> {
  const places = new Map<string, Part[]>();
  const put = (place: string, part: Part): void => {
    const parts = places.get(place);
    if (parts === undefined) places.set(place, [part]);
    else parts.push(part);
  };
  for (const of of family.classes(role)) {
    if (of.pieces.length > 0) put(outside, { of, pods: [] });
    const pods = new Map<string, Set<PodKey>>();
    for (const { key } of of.pods) {
      const place = placeOf(key);
      const some = pods.get(place) ?? new Set();
      pods.set(place, some.size < 2 ? some.add(key) : some);
    }
    for (const [place, some] of pods) put(place, { of, pods: [...some] });
  }
  return places;
}

/** Sums up what is between two classes once for all pairs that are decided alike. */
class Summaries {
  readonly #known = new Map<readonly Crossing[], Readonly<Seen>>();

  /** null: there is no connection. */
  of(family: FamilyCrossings, from: readonly Part[], to: readonly Part[]): Seen | null {
    const seen: Seen = { allow: noTraffic, deny: noTraffic, unknown: noTraffic };
    for (const one of from)
      for (const other of to)
        if (haveConnection(one, other)) add(seen, this.#of(family.between(one.of, other.of)));
    return (seen.allow | seen.deny | seen.unknown) === noTraffic ? null : seen;
  }

  #of(crossings: readonly Crossing[]): Readonly<Seen> {
    const known = this.#known.get(crossings);
    if (known !== undefined) return known;
    const seen: Seen = { allow: noTraffic, deny: noTraffic, unknown: noTraffic };
    for (const { verdict, traffic } of crossings) seen[verdict] |= traffic;
    this.#known.set(crossings, seen);
    return seen;
  }
}

/** Not of a pod to itself, nor of an address to an address. */
function haveConnection({ pods: [one, ...more] }: Part, { pods: [other, ...others] }: Part): boolean {
  if (one === undefined || other === undefined) return one !== other;
  return one !== other || more.length > 0 || others.length > 0;
}

function reachOf({ allow, deny, unknown }: Seen): Pick<RawCell, "reach" | "traffic"> {
  const some = allow & deny;
  const open = unknown & ~some;
  const traffic = { all: allow & ~(some | open), some, none: deny & ~(some | open), unknown: open };
  return { reach: wholeOf(traffic), traffic };
}

/** Some traffic that passes and some that does not make it `some`, whatever is unknown. */
function wholeOf({ all, some, none, unknown }: RawCell["traffic"]): Reach {
  if (some !== noTraffic || (all !== noTraffic && none !== noTraffic)) return "some";
  if (unknown !== noTraffic) return "unknown";
  return all === noTraffic ? "none" : "all";
}
