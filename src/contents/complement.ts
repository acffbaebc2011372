// What is outside of a multiset of networks of one family, as the fewest networks, ordered by address, and kept so while networks
// come and go. A binary trie: a node is a network that holds something of the multiset, and an element of the complement is the
// half of a node that holds nothing. Invariant: the elements are those that `subtract` gives of every address of the family, less
// what is held; so they follow from what is held alone. An address that comes or goes changes one element into at most 32 in
// IPv4, 128 in IPv6, or back; a network of several addresses changes as many as lie inside it.

import { invariant } from "../lib/invariant.ts";
import type { Block } from "../model/cidr.ts";
import { blockOf, blockOfAddress, withBit } from "../model/cidr.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import { everyAddress, familyOf, networkOf } from "../model/ip.ts";

/** Elements of the complement that are no longer there, and new ones; none is in both. */
export interface Difference {
  readonly left: readonly Cidr[];
  readonly came: readonly Cidr[];
}

interface Node {
  /** How often the network itself is held. */
  count: number;
  /** The halves that hold something, by their first bit. */
  readonly halves: [Node | null, Node | null];
  /** Whether what is held covers the network. */
  isFull: boolean;
}

const unchanged: Difference = { left: [], came: [] };

export class Complement {
  readonly #family: IpFamily;
  readonly #every: Block;
  /** null: nothing is held. */
  #root: Node | null = null;

  constructor(family: IpFamily) {
    this.#family = family;
    this.#every = blockOf(everyAddress(family));
  }

  /** Each needs one `remove` of the same text. */
  add(network: IpAddress | Cidr): Difference {
    const block = this.#blockOf(network);
    const path = this.#pathTo(block);
    const difference = this.#lost(path, block);
    this.#grow(path, block);
    const node = path.at(-1);
    invariant(node !== undefined, "a network was added nowhere");
    node.count++;
    settle(path);
    return difference;
  }

  /** Throws where it is not held. */
  remove(network: IpAddress | Cidr): Difference {
    const block = this.#blockOf(network);
    const path = this.#pathTo(block);
    const node = path[block.length];
    invariant(node !== undefined && node.count > 0, "a network left the complement without being held");
    node.count--;
    if (node.count > 0) return unchanged;
    settle(path);
    const isCovered = path.some(({ isFull }) => isFull);
    const length = this.#prune(path, block);
    if (isCovered) return unchanged;
    if (length === path.length) return { left: [], came: [...elementsIn(node, block)] };
    return { left: besides(block, length), came: [networkAt(block, length)] };
  }

  /** All, ordered by address. */
  elements(): Iterable<Cidr> {
    return elementsIn(this.#root, this.#every);
  }

  /** What a new network takes from the complement. */
  #lost(path: readonly Node[], block: Block): Difference {
    if (path.some(({ isFull }) => isFull)) return unchanged;
    if (path.length > block.length) return { left: [...elementsIn(path.at(-1) ?? null, block)], came: [] };
    return { left: [networkAt(block, path.length)], came: besides(block, path.length) };
  }

  #blockOf(network: IpAddress | Cidr): Block {
    invariant(familyOf(network) === this.#family, "a complement holds one family");
    return network.includes("/") ? blockOf(network as Cidr) : blockOfAddress(network as IpAddress);
  }

  /** The nodes from the root to the network, as far as there are any. */
  #pathTo({ bytes, length }: Block): Node[] {
    const path: Node[] = [];
    for (let node = this.#root; node !== null; node = node.halves[bitOf(bytes, path.length - 1)] ?? null) {
      path.push(node);
      if (path.length > length) break;
    }
    return path;
  }

  /** Adds what the path lacks. */
  #grow(path: Node[], { bytes, length }: Block): void {
    while (path.length <= length) {
      const node: Node = { count: 0, halves: [null, null], isFull: false };
      const above = path.at(-1);
      if (above === undefined) this.#root = node;
      else above.halves[bitOf(bytes, path.length - 1)] = node;
      path.push(node);
    }
  }

  /** Cuts off the end of the path that holds nothing; the length of the network that is empty now. */
  #prune(path: Node[], { bytes }: Block): number {
    let length = path.length;
    while (length > 0 && isEmpty(path[length - 1])) {
      length--;
      const above = path[length - 1];
      if (above === undefined) this.#root = null;
      else above.halves[bitOf(bytes, length - 1)] = null;
    }
    return length;
  }
}

/** What is outside of all the networks. */
export function complementOf(family: IpFamily, networks: Iterable<IpAddress | Cidr>): readonly Cidr[] {
  const complement = new Complement(family);
  for (const network of networks) complement.add(network);
  return [...complement.elements()];
}

/**
 * All that may be an element with the address held or not, and not in the other case, whatever else is held: the networks around it,
 * and the other half of each.
 */
export function* elementsAround(address: IpAddress): Generator<Cidr> {
  const block = blockOfAddress(address);
  for (let length = 0; length <= block.length; length++) yield networkAt(block, length);
  yield* besides(block, 0);
}

function* elementsIn(node: Node | null, block: Block): Generator<Cidr> {
  if (node === null) yield networkOf(block.bytes, block.length);
  else if (!node.isFull) {
    const length = block.length + 1;
    yield* elementsIn(node.halves[0], { bytes: block.bytes, length });
    yield* elementsIn(node.halves[1], { bytes: withBit(block.bytes, block.length), length });
  }
}

/** The halves beside the way from the network of this length that holds the block, to the block. */
function besides({ bytes, length }: Block, from: number): readonly Cidr[] {
  const halves: Cidr[] = [];
  for (let bit = from; bit < length; bit++) halves.push(networkOf(otherHalf(bytes, bit), bit + 1));
  return halves;
}

/** The bit changed, and all bits behind it cleared. */
function otherHalf(bytes: readonly number[], bit: number): readonly number[] {
  const place = bit >> 3;
  const changed = (bytes[place] ?? 0) ^ (0x80 >> (bit & 7));
  return bytes.map((byte, at) =>
    at < place ? byte : at > place ? 0 : changed & (0xff00 >> ((bit & 7) + 1)),
  );
}

function networkAt({ bytes }: Block, length: number): Cidr {
  return networkOf(prefixOf(bytes, length), length);
}

/** Says again of each node of the path, from its end, whether it is full. */
function settle(path: readonly Node[]): void {
  for (let at = path.length - 1; at >= 0; at--) {
    const node = path[at];
    if (node === undefined) continue;
    const [low, high] = node.halves;
    node.isFull = node.count > 0 || (low?.isFull === true && high?.isFull === true);
  }
}

function isEmpty(node: Node | undefined): boolean {
  return node?.count === 0 && node.halves.every((half) => half === null);
}

/** Bits count from 0, the first of the prefix. */
function bitOf(bytes: readonly number[], bit: number): 0 | 1 {
  return (((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 0 ? 0 : 1;
}

/** All bits behind the prefix cleared. */
function prefixOf(bytes: readonly number[], length: number): readonly number[] {
  return bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, length - 8 * at))));
}
