// Whether several networks, each with its exceptions, hold a network together though none of them does alone: exact, by the
// numbers of their addresses.

import type { AddressRange } from "../../analysis/address-space.ts";
import { rangeOf } from "../../analysis/address-space.ts";
import type { Cidr } from "../../model/ip.ts";
import { familyOf } from "../../model/ip.ts";
import type { Peer } from "../../policy/ir.ts";

export type NetworkPeer = Extract<Peer, { kind: "network" }>;

export function holdTogether(narrow: NetworkPeer, wide: readonly NetworkPeer[]): boolean {
  const family = familyOf(narrow.cidr);
  const held = wide.filter(({ cidr }) => familyOf(cidr) === family).flatMap(rangesOf);
  return held.reduce(without, rangesOf(narrow)).length === 0;
}

function rangesOf({ cidr, except }: NetworkPeer): readonly AddressRange[] {
  const own = except.filter((gap: Cidr) => familyOf(gap) === familyOf(cidr));
  return own.map(rangeOf).reduce(without, [rangeOf(cidr)]);
}

function without(ranges: readonly AddressRange[], taken: AddressRange): readonly AddressRange[] {
  return ranges.flatMap(({ first, last }) => {
    if (last < taken.first || taken.last < first) return [{ first, last }];
    const before = first < taken.first ? [{ first, last: taken.first - 1n }] : [];
    return taken.last < last ? [...before, { first: taken.last + 1n, last }] : before;
  });
}
