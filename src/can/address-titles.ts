// Addresses that no pod has, in words: all of them, all but some where these are fewer, nodes by name, or networks.

import type { FamilyCrossings } from "../crossings/crossings.ts";
import { excerptOf } from "../lib/few.ts";
import type { NodeFact } from "../model/facts.ts";
import { addressesOfNode } from "../model/facts.ts";
import { familyNames } from "../model/ip.ts";
import type { Cidr } from "../model/ip.ts";
import type { Role } from "../verdicts/ends/kinds.ts";

const shown = 3;
const everyOf = (family: string): string => `every ${family} address that no pod has`;
const every: readonly string[] = Object.values(familyNames).map(everyOf);

/** Whether the title is of all addresses of a family. */
export function isEvery(title: string): boolean {
  return every.includes(title);
}

export class AddressTitles {
  readonly #nodes: ReadonlyMap<string, string>;
  /** By family and role, all pieces of the addresses. */
  readonly #all = new Map<string, readonly number[]>();

  constructor(nodes: Iterable<NodeFact>) {
    this.#nodes = new Map(
      [...nodes].flatMap((node) => addressesOfNode(node).map((ip) => [ip, node.name] as const)),
    );
  }

  /** "" of none. */
  of(family: FamilyCrossings, role: Role, pieces: readonly number[]): string {
    if (pieces.length === 0) return "";
    const own = new Set(pieces);
    const others = this.#piecesOf(family, role).filter((piece) => !own.has(piece));
    const name = everyOf(familyNames[family.family]);
    if (others.length === 0) return name;
    const [networks, rest] = [family.networksOf(pieces), family.networksOf(others)];
    return rest.length < networks.length ? `${name} but ${this.#listed(rest)}` : this.#listed(networks);
  }

  #piecesOf(family: FamilyCrossings, role: Role): readonly number[] {
    const key = `${family.family} ${role}`;
    const known = this.#all.get(key) ?? family.piecesOf(role);
    this.#all.set(key, known);
    return known;
  }

  /** Each node once. */
  #listed(networks: readonly Cidr[]): string {
    const texts = new Set(networks.map((network) => this.#textOf(network)));
    return excerptOf(texts.size, [...texts].slice(0, shown));
  }

  #textOf(network: Cidr): string {
    const [ip = "", length] = network.split("/");
    const node = length === (ip.includes(":") ? "128" : "32") ? this.#nodes.get(ip) : undefined;
    return node === undefined ? network : `node ${node}`;
  }
}
