// Addresses that no pod has, in words: all of them, all but some where these are fewer, nodes by name, or networks.

import { fewestParts, sizeOf } from "../analysis/network-parts.ts";
import { NodeNames } from "../analysis/node-names.ts";
import type { FamilyCrossings } from "../crossings/crossings.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { PartOfNetwork } from "../model/cidr.ts";
import type { NodeFact } from "../model/facts.ts";
import { addressesOfNode } from "../model/facts.ts";
import { familyNames } from "../model/ip.ts";
import type { IpFamily } from "../model/ip.ts";
import { ownWayNetworks } from "../policy/own-node.ts";
import type { Role } from "../verdicts/ends/kinds.ts";

const shown = 3;
const everyOf = (family: string): string => `every ${family} address that no pod has`;

/** Networks that a user has named, `internet` for one: by that name they are told shorter than by what they are without. */
export interface NamedAddresses {
  readonly text: string;
  readonly piecesIn: (family: FamilyCrossings) => readonly number[];
}

/** Of addresses of one family. */
export interface AddressTitle {
  readonly family: IpFamily;
  readonly text: string;
  /** Whether the text is the whole name of the question, which says no family. */
  readonly isName: boolean;
}

/** Whether the title is of all addresses of its family. */
function isEvery({ family, text }: AddressTitle): boolean {
  return text === everyOf(familyNames[family]);
}

/** Of both families. Named networks but some are that too where those some are of one family. */
export function titleOf(titles: readonly AddressTitle[]): string {
  if (titles.length === 2 && titles.every(isEvery)) return "every address that no pod has";
  const isPartOf = (one: AddressTitle, other: AddressTitle): boolean =>
    other.text.startsWith(`${one.text} but `);
  const shown = titles.filter((one) => !titles.some((other) => isPartOf(one, other)));
  const differ = new Set(shown.map(({ text }) => text)).size > 1;
  const texts = shown.map(({ text, family, isName }) =>
    differ && isName ? `${text} (${familyNames[family]})` : text,
  );
  return [...new Set(texts)].join("; ");
}

export class AddressTitles {
  readonly #nodes: NodeNames;
  readonly #named: Partial<Record<Role, NamedAddresses>>;
  /** By family and role, all pieces of the addresses. */
  readonly #all = new Map<string, readonly number[]>();

  /** `named`: on the sides that were asked about so. */
  constructor(nodes: Iterable<NodeFact>, named: Partial<Record<Role, NamedAddresses>> = {}) {
    this.#named = named;
    this.#nodes = new NodeNames(
      new Map([...nodes].flatMap((node) => addressesOfNode(node).map((ip) => [ip, node.name] as const))),
    );
  }

  /** None of no piece. That a load balancer gives its own address to a pod's way to itself is of no interest here. */
  of(family: FamilyCrossings, role: Role, pieces: readonly number[]): readonly AddressTitle[] {
    if (pieces.length === 0) return [];
    const text = this.#textOf(family, role, pieces);
    return [{ family: family.family, text, isName: text === this.#named[role]?.text }];
  }

  #textOf(family: FamilyCrossings, role: Role, pieces: readonly number[]): string {
    const named = this.#named[role];
    const all = named?.piecesIn(family) ?? this.#piecesOf(family, role);
    const own = new Set(pieces);
    const others = all.filter((piece) => !own.has(piece));
    const name = named?.text ?? everyOf(familyNames[family.family]);
    if (others.length === 0) return name;
    const networks = family.networksOf(pieces);
    const rest = family.networksOf(others).filter((network) => !ownWayNetworks.includes(network));
    if (rest.length === 0) return name;
    const [within, without] = [networks, rest].map((some) => fewestParts(some, family.family));
    if (within === undefined || without === undefined) return name;
    return sizeOf(without) < sizeOf(within) ? `${name} but ${this.#listed(without)}` : this.#listed(within);
  }

  #piecesOf(family: FamilyCrossings, role: Role): readonly number[] {
    const key = `${family.family} ${role}`;
    const known = this.#all.get(key) ?? family.piecesOf(role);
    this.#all.set(key, known);
    return known;
  }

  #listed(parts: readonly PartOfNetwork[]): string {
    const whole = parts.filter(({ except }) => except.length === 0).map(({ cidr }) => cidr);
    const cut = parts.filter(({ except }) => except.length > 0);
    const names = [
      ...this.#nodes.namesOf(whole),
      ...cut.map(({ cidr, except }) => `${cidr} except ${this.#excerpt(this.#nodes.namesOf(except))}`),
    ];
    return this.#excerpt(names);
  }

  #excerpt(names: readonly string[]): string {
    return excerptOf(names.length, names.slice(0, shown));
  }
}
