// One line's match as iptables-save prints it: this order of options, ranges as START:END, protocols that are no names everywhere
// by number. Ports are packed by 15 for multiport, where a range counts as two.

import type { Cidr, IpFamily } from "../model/ip.ts";
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
  { family, peer, own, traffic, isTranslated }: LineMatch,
  direction: Direction,
  of: IpFamily,
): readonly string[] {
  if (family !== null && family !== of) return [];
  const [side, ownSide] = direction === "egress" ? (["dst", "src"] as const) : (["src", "dst"] as const);
  const state = isTranslated ? ["-m conntrack --ctstate DNAT"] : [];
  const { network, set } = peerTexts(peer, side, of);
  const ends = [...networkTexts(network, side), ...networkTexts(own ?? null, ownSide)];
  // The source comes first.
  const address = side === "src" ? ends : ends.toReversed();
  return trafficTexts(traffic, of).map((ports) => [...address, ...ports, ...set, ...state].join(" "));
}

function peerTexts(
  peer: PeerMatch,
  side: "src" | "dst",
  family: IpFamily,
): { readonly network: Cidr | null; readonly set: readonly string[] } {
  switch (peer.kind) {
    case "any":
      return { network: null, set: [] };
    case "group":
      return {
        network: peer.within ?? null,
        set: [`-m set --match-set ${setName(family, peer)} ${side}`],
      };
    case "network":
      return { network: peer.cidr, set: [] };
  }
}

/** Every address of the family needs no option, and iptables-save prints none. */
function networkTexts(network: Cidr | null, side: "src" | "dst"): readonly string[] {
  return network === null || network.endsWith("/0") ? [] : [`-${side[0]} ${network}`];
}

function trafficTexts(traffic: TrafficMatch, family: IpFamily): readonly (readonly string[])[] {
  const { protocol, sources, destinations, named, icmpTypes, icmpCodes } = traffic;
  const set = named === null ? [] : [`-m set --match-set ${setName(family, named)} dst,dst`];
  if (protocol === null) return [set];
  // "-p 0" means every protocol.
  if (protocol === 0) return [[u32(family === "v4" ? "0x6&0xff=0x0" : "0x3&0xff=0x0")]];
  const name = names.get(protocol) ?? String(protocol);
  const own = `-p ${name}`;
  if (icmpTypes !== null || icmpCodes !== null) return [[own, ...icmpTexts(icmpTypes, icmpCodes, family)]];
  const packs = pairs(sources, destinations);
  return packs.map(([from, to]) => [own, ...portTexts(name, from, to), ...set]);
}

/**
 * One type with any code or with one has a match of its own; what is more, or no type, is read from the bytes. So is type 255 of
 * ICMP, which is any type to the tool's own match.
 */
function icmpTexts(
  types: readonly PortRange[] | null,
  codes: readonly PortRange[] | null,
  family: IpFamily,
): readonly string[] {
  const [only, code] = [onlyOf(types), onlyOf(codes)];
  const type = family === "v4" && only === 255 ? null : only;
  const byCode = codes === null ? [] : [byteText("0x10", codes, family)];
  if (type === null) return [...(types === null ? [] : [byteText("0x18", types, family)]), ...byCode];
  const value = code === null ? String(type) : `${type}/${code}`;
  const own = family === "v4" ? `-m icmp --icmp-type ${value}` : `-m icmp6 --icmpv6-type ${value}`;
  return code === null ? [own, ...byCode] : [own];
}

/** The one value that there is; null: there are more, or no ranges. */
function onlyOf(ranges: readonly PortRange[] | null): number | null {
  const [first, ...others] = ranges ?? [];
  return first === undefined || others.length > 0 || first.start !== first.end ? null : first.start;
}

/** A byte of the first four behind the IPv4 header of any length, or the IPv6 header; `shift`: the bits behind it. */
function byteText(shift: string, ranges: readonly PortRange[], family: IpFamily): string {
  const values = ranges.map(({ start, end }) => (start === end ? hex(start) : `${hex(start)}:${hex(end)}`));
  const header = family === "v4" ? "0x0>>0x16&0x3c@0x0" : "0x28";
  return u32(`${header}>>${shift}&0xff=${values.join(",")}`);
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
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
