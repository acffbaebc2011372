// One line's match as iptables-save prints it: this order of options, ranges as START:END, protocols that are no names everywhere
// by number. Ports are packed by 15 for multiport, where a range counts as two.

import type { IpFamily } from "../model/ip.ts";
import type { Direction, PortRange } from "../policy/ir.ts";
import { setName } from "./names.ts";
import type { LineMatch, PeerMatch, TrafficMatch } from "./program.ts";

/** The names that need no /etc/protocols. */
const names: ReadonlyMap<number, string> = new Map([
  [1, "icmp"],
  [6, "tcp"],
  [17, "udp"],
  [58, "ipv6-icmp"],
  [132, "sctp"],
]);

/** A text for each rule that the tool needs for the line; none: it is of the other family. */
export function matchTexts(
  { family, peer, traffic, isTranslated }: LineMatch,
  direction: Direction,
  of: IpFamily,
): readonly string[] {
  if (family !== null && family !== of) return [];
  const side = direction === "egress" ? "dst" : "src";
  const state = isTranslated ? ["-m conntrack --ctstate DNAT"] : [];
  const { address, set } = peerTexts(peer, side, of);
  return trafficTexts(traffic, of).map((ports) => [...address, ...ports, ...set, ...state].join(" "));
}

function peerTexts(
  peer: PeerMatch,
  side: "src" | "dst",
  family: IpFamily,
): { readonly address: readonly string[]; readonly set: readonly string[] } {
  switch (peer.kind) {
    case "any":
      return { address: [], set: [] };
    case "group":
      return { address: [], set: [`-m set --match-set ${setName(family, peer)} ${side}`] };
    case "network":
      // Every address of the family needs no option, and iptables-save prints none.
      return { address: peer.cidr.endsWith("/0") ? [] : [`-${side[0]} ${peer.cidr}`], set: [] };
  }
}

function trafficTexts(traffic: TrafficMatch, family: IpFamily): readonly (readonly string[])[] {
  const { protocol, sources, destinations, named, icmpType, icmpCode } = traffic;
  const set = named === null ? [] : [`-m set --match-set ${setName(family, named)} dst,dst`];
  if (protocol === null) return [set];
  // "-p 0" means every protocol.
  if (protocol === 0) return [[u32(family === "v4" ? "0x6&0xff=0x0" : "0x3&0xff=0x0")]];
  const name = names.get(protocol) ?? String(protocol);
  const own = `-p ${name}`;
  if (icmpType !== null || icmpCode !== null) return [[own, icmpText(icmpType, icmpCode, family)]];
  const packs = pairs(sources, destinations);
  return packs.map(([from, to]) => [own, ...portTexts(name, from, to), ...set]);
}

function icmpText(type: number | null, code: number | null, family: IpFamily): string {
  if (type === null) {
    const hex = `0x${(code ?? 0).toString(16)}`;
    // The byte behind the type, behind the IPv4 header of any length, or the IPv6 header.
    return u32(family === "v4" ? `0x0>>0x16&0x3c@0x0>>0x10&0xff=${hex}` : `0x28>>0x10&0xff=${hex}`);
  }
  const value = code === null ? String(type) : `${type}/${code}`;
  return family === "v4" ? `-m icmp --icmp-type ${value}` : `-m icmp6 --icmpv6-type ${value}`;
}

function u32(test: string): string {
  return `-m u32 --u32 "${test}"`;
}

type Pack = readonly PortRange[] | null;

function pairs(sources: Pack, destinations: Pack): readonly (readonly [Pack, Pack])[] {
  const from = sources === null ? [null] : packed(sources);
  const to = destinations === null ? [null] : packed(destinations);
  return from.flatMap((one) => to.map((other) => [one, other] as const));
}

const most = 15;

function packed(ranges: readonly PortRange[]): readonly (readonly PortRange[])[] {
  const packs: PortRange[][] = [];
  let room = 0;
  for (const range of ranges) {
    const size = range.start === range.end ? 1 : 2;
    if (size > room) {
      packs.push([]);
      room = most;
    }
    packs.at(-1)?.push(range);
    room -= size;
  }
  return packs;
}

function portTexts(protocol: string, sources: Pack, destinations: Pack): readonly string[] {
  const single = (pack: Pack): pack is readonly [PortRange] => pack?.length === 1;
  const plain = [
    ...(single(sources) ? [`--sport ${rangeText(sources[0])}`] : []),
    ...(single(destinations) ? [`--dport ${rangeText(destinations[0])}`] : []),
  ];
  const several = [
    ...(sources === null || single(sources) ? [] : [`-m multiport --sports ${listText(sources)}`]),
    ...(destinations === null || single(destinations)
      ? []
      : [`-m multiport --dports ${listText(destinations)}`]),
  ];
  return [...(plain.length === 0 ? [] : [`-m ${protocol} ${plain.join(" ")}`]), ...several];
}

function listText(pack: readonly PortRange[]): string {
  return pack.map(rangeText).join(",");
}

function rangeText({ start, end }: PortRange): string {
  return start === end ? String(start) : `${start}:${end}`;
}
