// Networks of one family in fewer words: a network and what it is without, where that is shorter than its pieces. 10.0.0.0/8 without one
// address is 24 networks, and two in words.

import type { Cidr, IpFamily } from "../model/ip.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { AddressRange } from "./address-space.ts";
import { bitsOf, networkAt, rangeOf } from "./address-space.ts";

interface Told {
  readonly parts: readonly PartOfNetwork[];
  /** What the parts leave out of the block. */
  readonly gaps: readonly Cidr[];
}

/** The same addresses, ascending, with the fewest networks and exceptions together. The networks have nothing in common. */
export function fewestParts(networks: readonly Cidr[], family: IpFamily): readonly PartOfNetwork[] {
  const ranges = networks.map(rangeOf).sort((a, b) => (a.first < b.first ? -1 : 1));
  return told({ first: 0n, free: bitsOf[family], family }, ranges).parts;
}

/** How many networks the parts name. */
export function sizeOf(parts: readonly PartOfNetwork[]): number {
  return parts.reduce((sum, { except }) => sum + 1 + except.length, 0);
}

/** An aligned network: its first address, and how many bits are free behind its prefix. */
interface Block {
  readonly first: bigint;
  readonly free: number;
  readonly family: IpFamily;
}

function told(block: Block, ranges: readonly AddressRange[]): Told {
  const { first, free, family } = block;
  const cidr = networkAt(first, free, family);
  const [one] = ranges;
  if (one === undefined) return { parts: [], gaps: [cidr] };
  const last = first + (1n << BigInt(free)) - 1n;
  if (one.first === first && one.last === last) return { parts: [{ cidr, except: [] }], gaps: [] };
  const middle = first + (1n << BigInt(free - 1));
  const half = (start: bigint, some: readonly AddressRange[]): Told =>
    told({ first: start, free: free - 1, family }, some);
  const low = half(
    first,
    ranges.filter((range) => range.first < middle),
  );
  const high = half(
    middle,
    ranges.filter((range) => range.first >= middle),
  );
  const gaps = [...low.gaps, ...high.gaps];
  const parts = [...low.parts, ...high.parts];
  return { parts: 1 + gaps.length < sizeOf(parts) ? [{ cidr, except: gaps }] : parts, gaps };
}
