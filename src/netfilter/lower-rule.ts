// One rule to the matches of its lines: each peer with each network of the subject's own side and each sort of traffic. Ports of one
// protocol and source are one sort.

import type { Direction, EndPorts, GroupKey, PortRange, Rule } from "../policy/ir.ts";
import { everyPod, groupKey } from "../policy/ir.ts";
import { namedPeersOf } from "../policy/peers.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import { familyOf, ipFamilies } from "../model/ip.ts";
import { transportNumbers } from "../model/protocols.ts";
import type { EndTerm, TrafficTerm } from "../policy/normal-form.ts";
import { formOf, groupsOf, nothingElse, ownTerm, peerTerms } from "../policy/normal-form.ts";
import { limitsOf, networksOf } from "../contents/rule-peers.ts";
import type { LineMatch, PeerMatch, TrafficMatch } from "./program.ts";

type Sort = Pick<LineMatch, "family" | "traffic">;

/** Where the two ends are. */
interface Ends {
  readonly peer: PeerMatch;
  /** null: anywhere. */
  readonly own: Cidr | null;
}

/** `subject`: the groups that the rule applies to, none empty. */
export function lineMatches(
  rule: Rule,
  subject: readonly GroupKey[],
  direction: Direction,
): readonly LineMatch[] {
  const { traffic, isTranslated } = formOf(rule, direction);
  const named = direction === "ingress" ? subject : namedPeersOf(rule, direction).map(groupKey);
  const sorts = traffic === null ? [anyTraffic] : sortsOf(traffic, named);
  const own = ownTerm(rule);
  const places = own === null ? [null] : ipFamilies.flatMap((family) => networksOf(own, family));
  return peerTerms(rule)
    .flatMap(peersOf)
    .flatMap((peer) => places.map((place): Ends => ({ peer, own: place })))
    .flatMap((ends) => sorts.flatMap((sort) => lineOf(ends, sort, direction, isTranslated)));
}

const anySort: TrafficMatch = {
  ...{ protocol: null, sources: null, destinations: null, named: null, icmpTypes: null, icmpCodes: null },
};
const anyTraffic: Sort = { family: null, traffic: anySort };

function lineOf(
  { peer, own }: Ends,
  { family, traffic }: Sort,
  direction: Direction,
  isTranslated: boolean,
): readonly LineMatch[] {
  const said = [family, familyOfPeer(peer), own && familyOf(own)];
  const [first = null, ...others] = new Set(said.filter((one) => one !== null));
  if (others.length > 0) return [];
  const { named } = traffic;
  // Where names are those of a peer, another peer's pods are no destination of them.
  const isOfOther =
    direction === "egress" && named !== null && peer.kind === "group" && named.group !== peer.group;
  if (isOfOther && named.group !== everyGroup) return [];
  return [{ family: first, peer, ...(own === null ? {} : { own }), traffic, isTranslated }];
}

/** null: either. */
function familyOfPeer(peer: PeerMatch): IpFamily | null {
  if (peer.kind === "network") return familyOf(peer.cidr);
  return peer.kind === "any" || peer.within === undefined ? null : familyOf(peer.within);
}

const [everyGroup] = everyPod.map(groupKey);

function peersOf(term: EndTerm): readonly PeerMatch[] {
  if (term.anyOf.everything) return [{ kind: "any" }];
  const groups = groupsOf(term.anyOf).map((group) => ({ kind: "group", group: groupKey(group) }) as const);
  if (term.within !== null) {
    const limits = ipFamilies.flatMap((family) => limitsOf(term, family) ?? []);
    return groups.flatMap((group) => limits.map((within): PeerMatch => ({ ...group, within })));
  }
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

/** Of a protocol: a tool prints nothing of a range of all ports. null: any port. */
function limitedPorts(ports: EndPorts | null): EndPorts | null {
  return ports?.ranges.some(({ start, end }) => start <= 1 && end >= 65_535) === true ? null : ports;
}

/** An API may have let a range pass that ends before it starts; the tools refuse it. */
function hasPorts({ start, end }: PortRange): boolean {
  return start <= end;
}

function sortsOfTerm(term: TrafficTerm, groups: readonly GroupKey[]): readonly Sort[] {
  const { family, protocols, icmpTypes, icmpCodes, ...ends } = term;
  const { source: from, destination: to, ...others } = ends;
  nothingElse(others);
  const [source, destination] = [limitedPorts(from), limitedPorts(to)];
  const sources = source === null ? null : source.ranges.filter(hasPorts);
  if (sources?.length === 0) return [];
  // A source port is one of a protocol that has ports. What declares a destination port also declares its protocol.
  const all = protocols ?? (sources === null ? [null] : transportNumbers);
  return all.flatMap((protocol) => {
    const common = { ...anySort, protocol, sources, icmpTypes, icmpCodes };
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
