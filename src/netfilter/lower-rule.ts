// One rule to the matches of its lines: each peer with each sort of traffic. Ports of one protocol and source are one sort.

import type { Direction, GroupKey, PortRange, Rule } from "../policy/ir.ts";
import { destinationsOf, everyPod, groupKey } from "../policy/ir.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";
import { transportNumbers } from "../model/protocols.ts";
import type { EndTerm, TrafficTerm } from "../policy/normal-form.ts";
import { formOf, groupsOf, nothingElse, peerTerms } from "../policy/normal-form.ts";
import { networksOf } from "../contents/rule-peers.ts";
import type { LineMatch, PeerMatch, TrafficMatch } from "./program.ts";

type Sort = Pick<LineMatch, "family" | "traffic">;

/** `subject`: the groups that the rule applies to, none empty. */
export function lineMatches(
  rule: Rule,
  subject: readonly GroupKey[],
  direction: Direction,
): readonly LineMatch[] {
  const { traffic, isTranslated } = formOf(rule, direction);
  const named = direction === "ingress" ? subject : destinationsOf(rule).map(groupKey);
  const sorts = traffic === null ? [anyTraffic] : sortsOf(traffic, named);
  return peerTerms(rule)
    .flatMap(peersOf)
    .flatMap((peer) => sorts.flatMap((sort) => lineOf(peer, sort, direction, isTranslated)));
}

const anySort: TrafficMatch = {
  ...{ protocol: null, sources: null, destinations: null, named: null, icmpType: null, icmpCode: null },
};
const anyTraffic: Sort = { family: null, traffic: anySort };

function lineOf(
  peer: PeerMatch,
  { family, traffic }: Sort,
  direction: Direction,
  isTranslated: boolean,
): readonly LineMatch[] {
  const own = peer.kind === "network" ? familyOf(peer.cidr) : null;
  if (own !== null && family !== null && own !== family) return [];
  const { named } = traffic;
  // Where names are those of a peer, another peer's pods are no destination of them.
  const isOfOther =
    direction === "egress" && named !== null && peer.kind === "group" && named.group !== peer.group;
  if (isOfOther && named.group !== everyGroup) return [];
  return [{ family: own ?? family, peer, traffic, isTranslated }];
}

const [everyGroup] = everyPod.map(groupKey);

function peersOf(term: EndTerm): readonly PeerMatch[] {
  if (term.anyOf.everything) return [{ kind: "any" }];
  const groups = groupsOf(term.anyOf).map((group): PeerMatch => ({ kind: "group", group: groupKey(group) }));
  const networks = ipFamilies.flatMap((family) => networksOf(term, family));
  return [...groups, ...networks.map((cidr): PeerMatch => ({ kind: "network", cidr }))];
}

/** Ports that differ in nothing else are one sort. */
function sortsOf(terms: readonly TrafficTerm[], named: readonly GroupKey[]): readonly Sort[] {
  const sorts: Sort[] = [];
  const places = new Map<string, number>();
  for (const sort of terms.flatMap((term) => sortsOfTerm(term, named))) {
    const { destinations, ...rest } = sort.traffic;
    const key = JSON.stringify([sort.family, rest]);
    const at = destinations === null ? undefined : places.get(key);
    const before = at === undefined ? undefined : sorts[at];
    if (at === undefined || before === undefined) {
      if (destinations !== null) places.set(key, sorts.length);
      sorts.push(sort);
    } else {
      const all = [...(before.traffic.destinations ?? []), ...(destinations ?? [])];
      sorts[at] = { ...sort, traffic: { ...rest, destinations: all } };
    }
  }
  return sorts;
}

/** An API may have let a range pass that ends before it starts; the tools refuse it. */
function hasPorts({ start, end }: PortRange): boolean {
  return start <= end;
}

function sortsOfTerm(term: TrafficTerm, groups: readonly GroupKey[]): readonly Sort[] {
  const { family, protocols, source, destination, icmpType, icmpCode, ...others } = term;
  nothingElse(others);
  const sources = source === null ? null : source.ranges.filter(hasPorts);
  if (sources?.length === 0) return [];
  // A source port is one of a protocol that has ports. What declares a destination port also declares its protocol.
  const all = protocols ?? (sources === null ? [null] : transportNumbers);
  return all.flatMap((protocol) => {
    const common = { ...anySort, protocol, sources, icmpType, icmpCode };
    if (destination === null) return [{ family, traffic: common }];
    const names = destination.names.flatMap((name) =>
      groups.map((group) => ({ ...common, named: { kind: "port", group, name } as const })),
    );
    const ranges = destination.ranges.filter(hasPorts);
    return [...(ranges.length === 0 ? [] : [{ ...common, destinations: ranges }]), ...names].map(
      (traffic): Sort => ({ family, traffic }),
    );
  });
}
