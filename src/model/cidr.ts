// Arithmetic on networks: which addresses one holds, and what remains of one without others. Canonical text in and out;
// a network of one family never holds an address of the other.

import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { Cidr, IpAddress } from "./ip.ts";
import { familyOf, networkOf, parseIp } from "./ip.ts";

/** Whether the address lies in the network; never for another family. */
export function contains(cidr: Cidr, ip: IpAddress): boolean {
  return (
    familyOf(cidr) === familyOf(ip) && holds(parsedBlock(cidr, blockOf), parsedBlock(ip, blockOfAddress))
  );
}

/** Few networks and addresses are asked about many times, and parsing them takes most of an answer. */
const parsedBlocks = new LRUCache<Cidr | IpAddress, Block>({ max: 4_096 });

function parsedBlock<T extends Cidr | IpAddress>(text: T, parse: (text: T) => Block): Block {
  const before = parsedBlocks.get(text);
  if (before !== undefined) return before;
  const block = parse(text);
  parsedBlocks.set(text, block);
  return block;
}

/** The network that holds this address alone. */
export function aloneIn(ip: IpAddress): Cidr {
  const { bytes, length } = blockOfAddress(ip);
  return networkOf(bytes, length);
}

/** The network's own address for 0, then those behind it, up to 2; null: the network has fewer than four addresses. */
export function nthIn(cidr: Cidr, nth: 0 | 1 | 2): IpAddress | null {
  const { bytes, length } = blockOf(cidr);
  if (8 * bytes.length - length < 2) return null;
  const address = bytes.map((byte, at) => (at === bytes.length - 1 ? byte + nth : byte));
  return parseIp(ipaddr.fromByteArray([...address]).toString());
}

/** Whether every address of `inner` lies in `outer`; never for another family. */
export function holdsNetwork(outer: Cidr, inner: Cidr): boolean {
  return familyOf(outer) === familyOf(inner) && holds(blockOf(outer), blockOf(inner));
}

/**
 * The fewest networks that hold exactly the addresses of `cidr` outside all networks of `except`, ordered by address.
 * Exceptions may nest, overlap, repeat and lie outside; those of the other family remove nothing. Each exception inside
 * gives at most one network for each bit by which its prefix is longer: 32 in IPv4, 128 in IPv6.
 */
export function subtract(cidr: Cidr, except: readonly Cidr[]): readonly Cidr[] {
  if (except.length === 0) return [cidr];
  const family = familyOf(cidr);
  const left: Block[] = [];
  halve(blockOf(cidr), except.filter((one) => familyOf(one) === family).map(blockOf), left);
  return left.map(({ bytes, length }) => networkOf(bytes, length));
}

/** A network, and the networks inside it that are excepted. */
export interface PartOfNetwork {
  readonly cidr: Cidr;
  readonly except: readonly Cidr[];
}

/**
 * The parts of the networks that lie within any of `within`, without `except`, each once; those of which nothing is left are left
 * out. Two networks are nested or have nothing in common.
 */
export function partsWithin(
  networks: readonly Cidr[],
  within: readonly Cidr[],
  except: readonly Cidr[],
): readonly PartOfNetwork[] {
  const [blocks, bounds, holes] = [parsed(networks), parsed(within), parsed(except)];
  const shared = blocks.flatMap((one) => bounds.flatMap((bound) => smallerOf(one, bound)));
  return [...new Map(shared.map((one) => [one.cidr, one])).values()].flatMap(({ cidr, block }) => {
    if (holes.some((hole) => holdsBlock(hole.block, block))) return [];
    return [{ cidr, except: holes.filter((hole) => holdsBlock(block, hole.block)).map((hole) => hole.cidr) }];
  });
}

interface Parsed {
  readonly cidr: Cidr;
  readonly block: Block;
}

function parsed(list: readonly Cidr[]): readonly Parsed[] {
  return Array.from(new Set(list), (cidr) => ({ cidr, block: blockOf(cidr) }));
}

function smallerOf(one: Parsed, other: Parsed): readonly Parsed[] {
  if (holdsBlock(one.block, other.block)) return [other];
  return holdsBlock(other.block, one.block) ? [one] : [];
}

/** Never for another family. */
function holdsBlock(outer: Block, inner: Block): boolean {
  return outer.bytes.length === inner.bytes.length && holds(outer, inner);
}

/** A network as its address in network order, host bits zero, and prefix length. */
export interface Block {
  readonly bytes: readonly number[];
  readonly length: number;
}

export function blockOf(cidr: Cidr): Block {
  const slash = cidr.indexOf("/");
  return { bytes: bytesOf(cidr.slice(0, slash)), length: Number(cidr.slice(slash + 1)) };
}

/** The network that holds this address alone. */
export function blockOfAddress(ip: IpAddress): Block {
  const bytes = bytesOf(ip);
  return { bytes, length: 8 * bytes.length };
}

/** Of a canonical address, in network order. ipaddr.js would try IPv6 first, and throw for every IPv4 network. */
function bytesOf(address: string): readonly number[] {
  return address.includes(":") ? ipaddr.IPv6.parse(address).toByteArray() : address.split(".").map(Number);
}

/** Halves a block as long as exceptions cover a part of it, and keeps a block whole when none overlaps it. */
function halve(block: Block, except: readonly Block[], left: Block[]): void {
  if (except.some((one) => holds(one, block))) return;
  const inside = except.filter((one) => holds(block, one));
  if (inside.length === 0) {
    left.push(block);
    return;
  }
  const length = block.length + 1;
  halve({ bytes: block.bytes, length }, inside, left);
  halve({ bytes: withBit(block.bytes, block.length), length }, inside, left);
}

function holds(outer: Block, inner: Block): boolean {
  if (outer.length > inner.length) return false;
  const whole = outer.length >> 3;
  for (let at = 0; at < whole; at++) if (outer.bytes[at] !== inner.bytes[at]) return false;
  const rest = outer.length & 7;
  return rest === 0 || ((outer.bytes[whole] ?? 0) ^ (inner.bytes[whole] ?? 0)) >> (8 - rest) === 0;
}

/** Bits count from 0, the first of the prefix. */
export function withBit(bytes: readonly number[], bit: number): readonly number[] {
  return bytes.map((byte, at) => (at === bit >> 3 ? byte | (0x80 >> (bit & 7)) : byte));
}
