// One line's match in nftables, as `nft -n list` prints it: this order, numbers in place of names, ports ascending and merged. The
// table is of both families: a match of an address is also one of its family.

import type { Cidr, IpFamily } from "../../model/ip.ts";
import { familyOf, ipFamilies } from "../../model/ip.ts";
import type { Direction, PortRange } from "../../policy/ir.ts";
import { mergedRanges } from "../../policy/ports/port-ranges.ts";
import { setName } from "../names.ts";
import type { LineMatch, PeerMatch, TrafficMatch } from "../program.ts";

/** The name of a family's headers in rules. */
export const headers: Readonly<Record<IpFamily, string>> = { v4: "ip", v6: "ip6" };
/** Every packet of the family. nft leaves out `meta nfproto` before matches that usually are of one family, though not always. */
const ofFamily: Readonly<Record<IpFamily, string>> = { v4: "ip saddr 0.0.0.0/0", v6: "ip6 saddr ::/0" };
const icmpHeaders: ReadonlyMap<number, string> = new Map([
  [1, "icmp"],
  [58, "icmpv6"],
]);
/** Protocols that have ports, by number. */
const portHeaders: ReadonlyMap<number, string> = new Map([
  [6, "tcp"],
  [17, "udp"],
  [132, "sctp"],
]);

/** A text for each rule that the line needs in a table of these families; an empty one matches everything. */
export function nftMatches(
  line: LineMatch,
  direction: Direction,
  of: readonly IpFamily[],
): readonly string[] {
  const families = of.filter((family) => line.family === null || line.family === family);
  if (needsFamily(line, families.length < ipFamilies.length && line.family !== null))
    return families.map((family) => matchText(line, direction, family));
  return families.length === 0 ? [] : [matchText(line, direction, null)];
}

/** Whether the rule is of one family: one that asks for nothing of a family's header is of both. */
function needsFamily({ peer, own, traffic: { protocol, named } }: LineMatch, isOfOne: boolean): boolean {
  return isOfOne || peer.kind !== "any" || own !== undefined || named !== null || protocol === 0;
}

function matchText(
  { peer, own, traffic, isTranslated }: LineMatch,
  direction: Direction,
  family: IpFamily | null,
): string {
  const address = family === null ? [] : endTexts({ peer, own: own ?? null }, direction, family);
  const sort = trafficTexts(traffic, family);
  const saysFamily =
    family === null || address.length > 0 || traffic.named !== null || traffic.protocol === 0;
  const every = saysFamily ? [] : [ofFamily[family]];
  return [...every, ...address, ...sort, ...(isTranslated ? ["ct status 0x20"] : [])].join(" ");
}

/** The source comes first. */
function endTexts(
  { peer, own }: { readonly peer: PeerMatch; readonly own: Cidr | null },
  direction: Direction,
  family: IpFamily,
): readonly string[] {
  const isEgress = direction === "egress";
  const end = (isSource: boolean) => `${headers[family]} ${isSource ? "saddr" : "daddr"}`;
  const peers = peerTexts(peer, end(!isEgress), family);
  const subject = own === null ? [] : networkTexts(own, end(isEgress));
  return isEgress ? [...subject, ...peers] : [...peers, ...subject];
}

function peerTexts(peer: PeerMatch, end: string, family: IpFamily): readonly string[] {
  switch (peer.kind) {
    case "any":
      return [];
    case "group": {
      const within = peer.within === undefined ? [] : networkTexts(peer.within, end);
      return [`${end} @${setName(family, peer)}`, ...within];
    }
    case "network":
      return networkTexts(peer.cidr, end);
  }
}

function networkTexts(network: Cidr, end: string): readonly string[] {
  if (network.endsWith("/0")) return [];
  return [`${end} ${network.replace(familyOf(network) === "v4" ? /\/32$/ : /\/128$/, "")}`];
}

function trafficTexts(traffic: TrafficMatch, family: IpFamily | null): readonly string[] {
  const { protocol, sources, destinations, named, icmpTypes, icmpCodes } = traffic;
  const set =
    named === null || family === null
      ? []
      : [`${headers[family]} daddr . meta l4proto . th dport @${setName(family, named)}`];
  if (protocol === null) return set;
  // For IPv6, `meta l4proto` is the protocol behind the headers of options, whose own number is 0.
  if (protocol === 0) return [family === "v6" ? "ip6 nexthdr 0" : "ip protocol 0", ...set];
  const icmp = icmpHeaders.get(protocol) ?? "";
  const ports = portHeaders.get(protocol) ?? "";
  const values = [
    ...(icmpTypes === null ? [] : [`${icmp} type ${rangesText(icmpTypes)}`]),
    ...(icmpCodes === null ? [] : [`${icmp} code ${rangesText(icmpCodes)}`]),
    ...(sources === null ? [] : [`${ports} sport ${rangesText(sources)}`]),
    ...(destinations === null ? [] : [`${ports} dport ${rangesText(destinations)}`]),
  ];
  return [...set, ...(values.length === 0 ? [`meta l4proto ${protocol}`] : values)];
}

function rangesText(ranges: readonly PortRange[]): string {
  const texts = mergedRanges(ranges).map(({ start, end }) =>
    start === end ? String(start) : `${start}-${end}`,
  );
  return texts.length === 1 ? texts.join() : `{ ${texts.join(", ")} }`;
}
