// Whether each end outside of a set reaches all, some or none of it, or is reached by all, some or none: all crossings of an end with
// the set, summed up. Of one family. Invariant: on each part of the traffic an end that has a connection with the set is in
// exactly one entry, whose word follows from the verdicts of all of its connections with the set.

import type { FamilyCrossings } from "../crossings/crossings.ts";
import type { EndClass } from "../crossings/ends.ts";
import type { Reach, Seen } from "../crossings/reach.ts";
import { add, isNothing, nothingSeen, reachOf, reaches, Summaries } from "../crossings/reach.ts";
import type { Role } from "../verdicts/ends/kinds.ts";
import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic, textOf } from "../verdicts/traffic.ts";
import type { Selections } from "./groups.ts";
import { chosen } from "./groups.ts";

export interface RawReach {
  readonly family: FamilyCrossings;
  readonly reach: Reach;
  readonly traffic: Traffic;
  readonly ends: readonly EndClass[];
  /** Of the set; none where the word says it already. */
  readonly allowed: readonly EndClass[];
  readonly unknown: readonly EndClass[];
}

/** The side that is a set; null: neither is. */
export function setRole({ from, to }: Selections): Role | null {
  if (to?.isSet === true) return "to";
  return from?.isSet === true ? "from" : null;
}

/** What one end has with the set on a part of the traffic; numbers are places in the set. */
interface Part {
  readonly traffic: Traffic;
  readonly allowed: readonly number[];
  readonly unknown: readonly number[];
}

export function reachesOf(family: FamilyCrossings, selections: Selections, role: Role): readonly RawReach[] {
  const other = role === "to" ? "from" : "to";
  const members = chosen(family, role, selections[role]);
  const others = withLonePods(chosen(family, other, selections[other]), members);
  const summaries = new Summaries();
  const found = new Map<string, { readonly part: Part; readonly reach: Reach; readonly ends: EndClass[] }>();
  for (const end of others) {
    const seen = members.map((member) => {
      const [from, to] = role === "to" ? [end, member] : [member, end];
      return summaries.of(family.between(from, to));
    });
    for (const [reach, part] of wordsOf(seen)) {
      const key = `${reach} ${textOf(part.traffic)} ${part.allowed.join()} ${part.unknown.join()}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { part, reach, ends: [end] });
      else known.ends.push(end);
    }
  }
  const at = (places: readonly number[]) => places.flatMap((place) => members[place] ?? []);
  return [...found.values()].map(({ part: { traffic, allowed, unknown }, reach, ends }) => ({
    ...{ family, reach, traffic, ends, allowed: at(allowed), unknown: at(unknown) },
  }));
}

/** A pod that is alone in a class of the set has no connection with this class, which others of its own class have. */
function withLonePods(ends: readonly EndClass[], members: readonly EndClass[]): readonly EndClass[] {
  const lone = new Set(
    members.flatMap(({ pods }) => {
      const keys = new Set(pods.map(({ key }) => key));
      return keys.size === 1 ? [...keys] : [];
    }),
  );
  return ends.flatMap((end) => {
    if (!end.pods.some(({ key }) => lone.has(key))) return [end];
    const alike = Map.groupBy(end.pods, ({ key }) => (lone.has(key) ? key : ""));
    return Array.from(alike.values(), (pods) => ({ ...end, pods }));
  });
}

function wordsOf(seen: readonly Readonly<Seen>[]): readonly (readonly [Reach, Part])[] {
  const all = nothingSeen();
  for (const one of new Set(seen)) add(all, one);
  if (isNothing(all)) return [];
  const words = reachOf(all);
  return reaches.flatMap((reach): readonly (readonly [Reach, Part])[] => {
    const traffic = words[reach];
    if (traffic === noTraffic) return [];
    if (reach === "all" || reach === "none") return [[reach, { traffic, allowed: [], unknown: [] }]];
    return dividedBy(seen, traffic).map((part) => [reach, part] as const);
  });
}

/** By the members of the set that are allowed and unknown. */
function dividedBy(seen: readonly Readonly<Seen>[], traffic: Traffic): readonly Part[] {
  let parts: readonly Traffic[] = [traffic];
  const distinct = new Set(seen);
  for (const { allow, unknown } of distinct)
    for (const cut of [allow, unknown])
      parts = parts.flatMap((part) => [part & cut, part & ~cut]).filter((part) => part !== noTraffic);
  const found = new Map<string, Part>();
  for (const part of parts) {
    const places = (word: "allow" | "unknown") =>
      seen.flatMap((one, at) => ((one[word] & part) === noTraffic ? [] : [at]));
    const [allowed, unknown] = [places("allow"), places("unknown")];
    const key = `${allowed.join()} ${unknown.join()}`;
    found.set(key, { allowed, unknown, traffic: part | (found.get(key)?.traffic ?? noTraffic) });
  }
  return [...found.values()];
}
