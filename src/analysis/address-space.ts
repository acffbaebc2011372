// The addresses of one family, cut wherever a network begins or ends: all addresses between two cuts are in the same networks.
// Knows which addresses are pods', and gives one that no pod has. Refuses the other family by invariant.

import ipaddr from "ipaddr.js";
import { invariant } from "../lib/invariant.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf, networkOf, parseIp } from "../model/ip.ts";

export const bitsOf: Readonly<Record<IpFamily, number>> = { v4: 32, v6: 128 };
/** ::ffff:0:0/96 of IPv6: its addresses are written as IPv4 and count as such. */
const mapped = { first: 0xffffn << 32n, last: (0xffffn << 32n) + 0xffff_ffffn };

export class AddressSpace {
  readonly #family: IpFamily;
  readonly #starts: readonly bigint[];
  readonly #taken: ReadonlySet<bigint>;

  /** `taken`: addresses of pods. What is of the other family is passed over. */
  constructor(family: IpFamily, networks: Iterable<Cidr>, taken: Iterable<IpAddress>) {
    this.#family = family;
    const starts = new Set([0n]);
    for (const network of networks) {
      if (familyOf(network) !== family) continue;
      const { first, last } = rangeOf(network);
      starts.add(first).add(last + 1n);
    }
    const end = 1n << BigInt(bitsOf[family]);
    this.#starts = [...starts].filter((start) => start < end).sort((a, b) => (a < b ? -1 : 1));
    this.#taken = new Set(
      Iterator.from(taken)
        .filter((ip) => familyOf(ip) === family)
        .map(numberOf),
    );
  }

  /** How many pieces there are; they are numbered by address. */
  get size(): number {
    return this.#starts.length;
  }

  pieceOf(ip: IpAddress): number {
    invariant(familyOf(ip) === this.#family, "an address of the other family");
    return this.#at(numberOf(ip));
  }

  /** The pieces of the network outside the exceptions, ascending; their borders must be cuts. None for the other family. */
  piecesWithin(network: Cidr, except: readonly Cidr[]): readonly number[] {
    const own = this.#piecesOf(network);
    if (own === null) return [];
    const holes = except.flatMap((one) => this.#piecesOf(one) ?? []);
    const found: number[] = [];
    for (let at = own.first; at <= own.last; at++)
      if (!holes.some(({ first, last }) => first <= at && at <= last)) found.push(at);
    return found;
  }

  /** Of each of the addresses; those of the other family have none. */
  piecesHolding(ips: readonly IpAddress[]): readonly number[] {
    return ips.filter((ip) => familyOf(ip) === this.#family).map((ip) => this.pieceOf(ip));
  }

  /** The first address of the piece that is no pod's; null: there is none. */
  freeIn(piece: number): IpAddress | null {
    const { first, last } = this.#bounds(piece);
    for (let at = first; at <= last; at++) {
      if (this.#family === "v6" && mapped.first <= at && at <= mapped.last) at = mapped.last + 1n;
      if (at > last) return null;
      if (!this.#taken.has(at)) return addressOf(at, this.#family);
    }
    return null;
  }

  /** The fewest networks that hold the pieces and nothing else but addresses of pods between them; ascending. */
  networksOf(pieces: readonly number[]): readonly Cidr[] {
    const networks: Cidr[] = [];
    let open: { first: bigint; last: bigint; piece: number } | null = null;
    for (const piece of [...pieces].sort((a, b) => a - b)) {
      const { first, last } = this.#bounds(piece);
      if (open !== null && this.#isHeldBetween(open.piece, piece)) open = { first: open.first, last, piece };
      else {
        if (open !== null) networks.push(...covering(open.first, open.last, this.#family));
        open = { first, last, piece };
      }
    }
    return open === null ? networks : [...networks, ...covering(open.first, open.last, this.#family)];
  }

  /** Whether every address between the two pieces is a pod's. */
  #isHeldBetween(piece: number, next: number): boolean {
    for (let at = piece + 1; at < next; at++) if (this.freeIn(at) !== null) return false;
    return true;
  }

  #piecesOf(network: Cidr): { readonly first: number; readonly last: number } | null {
    if (familyOf(network) !== this.#family) return null;
    const { first, last } = rangeOf(network);
    return { first: this.#at(first), last: this.#at(last) };
  }

  #bounds(piece: number): AddressRange {
    const first = this.#starts[piece];
    invariant(first !== undefined, "a piece that is not there");
    return { first, last: (this.#starts[piece + 1] ?? 1n << BigInt(bitsOf[this.#family])) - 1n };
  }

  /** The last cut at or before the number. */
  #at(number: bigint): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0n) <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Both ends belong to it. An address as a number is its bytes in network order. */
export interface AddressRange {
  readonly first: bigint;
  readonly last: bigint;
}

export function rangeOf(network: Cidr): AddressRange {
  const [address, length] = ipaddr.parseCIDR(network);
  const bytes = address.toByteArray();
  const first = ofBytes(bytes);
  return { first, last: first + (1n << BigInt(8 * bytes.length - length)) - 1n };
}

export function numberOf(ip: IpAddress): bigint {
  return ofBytes(ipaddr.parse(ip).toByteArray());
}

function ofBytes(bytes: readonly number[]): bigint {
  let number = 0n;
  for (const byte of bytes) number = (number << 8n) | BigInt(byte);
  return number;
}

function bytesOf(number: bigint, family: IpFamily): number[] {
  const count = bitsOf[family] / 8;
  return Array.from({ length: count }, (_, at) => Number((number >> BigInt(8 * (count - 1 - at))) & 0xffn));
}

function addressOf(number: bigint, family: IpFamily): IpAddress {
  const ip = parseIp(ipaddr.fromByteArray(bytesOf(number, family)).toString());
  invariant(ip !== null, "an address that cannot be read");
  return ip;
}

/** `first`: its first address; `free`: how many bits are free behind its prefix. */
export function networkAt(first: bigint, free: number, family: IpFamily): Cidr {
  return networkOf(bytesOf(first, family), bitsOf[family] - free);
}

/** The fewest networks that hold the family's addresses outside all of the networks; ascending. */
export function gapsIn(networks: readonly Cidr[], family: IpFamily): readonly Cidr[] {
  const ranges = networks.filter((one) => familyOf(one) === family).map(rangeOf);
  const gaps: Cidr[] = [];
  let next = 0n;
  for (const { first, last } of ranges.sort((a, b) => (a.first < b.first ? -1 : 1))) {
    if (next < first) gaps.push(...covering(next, first - 1n, family));
    if (last >= next) next = last + 1n;
  }
  const end = 1n << BigInt(bitsOf[family]);
  return next < end ? [...gaps, ...covering(next, end - 1n, family)] : gaps;
}

/** The largest aligned network at each place, until the last address is in one. */
function covering(first: bigint, last: bigint, family: IpFamily): readonly Cidr[] {
  const networks: Cidr[] = [];
  for (let at = first; at <= last;) {
    let free = 0;
    while (
      free < bitsOf[family] &&
      (at >> BigInt(free)) % 2n === 0n &&
      at + (2n << BigInt(free)) - 1n <= last
    )
      free++;
    networks.push(networkAt(at, free, family));
    at += 1n << BigInt(free);
  }
  return networks;
}
