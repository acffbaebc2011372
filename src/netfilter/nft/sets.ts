// The sets and maps of a table of nftables: the sets of a program, each local address with itself, and for each tier of namespaces a map
// from an address to the chain of its namespace.

import { invariant } from "../../lib/invariant.ts";
import type { IpAddress, IpFamily } from "../../model/ip.ts";
import type { Membership } from "../../policy/contracts/membership.ts";
import type { Direction } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { branchMap, localSet, namespaceChain, selfSet, setName } from "../names.ts";
import type { SetContents, SetHead } from "../print-ipset.ts";
import type { FilterProgram, TierProgram } from "../program.ts";
import { namespaceSetOf } from "../program.ts";
import type { BranchMap, ElementReader, NodeSet, SetForm } from "../set-contents.ts";
import { contentsOf, isOfLocalPods, nodeSetsOf, SetReader } from "../set-contents.ts";

export const nftSetForm: SetForm = {
  of: setsOfTable,
  head: headOf,
  reader: (membership, zone) => new NftReader(membership, zone),
};

/** A family's after those of the one before. */
export function nftSets(
  program: FilterProgram,
  families: readonly IpFamily[],
  reader: ElementReader,
): readonly SetContents[] {
  const sets = setsOfTable(program);
  return families.flatMap((family) => contentsOf(sets, family, nftSetForm, reader));
}

function setsOfTable(program: FilterProgram): readonly NodeSet[] {
  const sets = nodeSetsOf(program).flatMap((set): readonly NodeSet[] => {
    if (isOfLocalPods(set)) return [set, { ...set, set: "self" }];
    return set.set.kind === "namespace" ? [] : [set];
  });
  const maps = directions
    .toSorted()
    .flatMap((direction) => program[direction].flatMap((tier) => mapOf(tier, direction)));
  return [...sets, ...maps];
}

function mapOf({ key, branches }: TierProgram, direction: Direction): readonly BranchMap[] {
  const namespaces = branches.flatMap((branch) => {
    const { namespace } = branch;
    return namespace === null ? [] : [{ namespace, ...namespaceSetOf(namespace, [branch]) }];
  });
  if (namespaces.length === 0) return [];
  const groups = [...new Set(namespaces.flatMap((one) => one.groups))];
  return [{ set: { kind: "map", direction, tier: key }, groups, namespaces }];
}

const addresses: Readonly<Record<IpFamily, string>> = { v4: "ipv4_addr", v6: "ipv6_addr" };

function headOf(set: NodeSet, family: IpFamily): SetHead {
  const name = nameOf(set, family);
  const type = typeOfSet(name);
  invariant(type !== null, `a set of another name: ${name}`);
  return { name, family, type };
}

function nameOf({ set }: NodeSet, family: IpFamily): string {
  if (set === "local") return localSet(family);
  if (set === "self") return selfSet(family);
  return set.kind === "map" ? branchMap(set.direction, set.tier, family) : setName(family, set);
}

/** null: no set of ours has such a name. */
export function typeOfSet(name: string): string | null {
  const [, digit = "", word = ""] = /^ng([46])-(local|self|[a-z](?=-))/.exec(name) ?? [];
  const address = digit === "" ? "" : addresses[digit === "4" ? "v4" : "v6"];
  switch (word) {
    case "":
      return null;
    case "self":
      return `${address} . ${address}`;
    case "e":
    case "i":
      return `${address} : verdict`;
    case "p":
      return `${address} . inet_proto . inet_service`;
    default:
      return address;
  }
}

class NftReader implements ElementReader {
  readonly #reader: SetReader;

  constructor(membership: Membership, zone: string | null) {
    this.#reader = new SetReader(membership, zone);
  }

  elements(set: NodeSet, family: IpFamily): readonly string[] {
    return elementsOf(set, (one) => this.#reader.elements(one, family));
  }

  at(set: NodeSet, address: IpAddress): readonly string[] {
    return elementsOf(set, (one) => this.#reader.at(one, address));
  }
}

/** `read`: as ipset has them. */
function elementsOf(set: NodeSet, read: (set: NodeSet) => readonly string[]): readonly string[] {
  if ("namespaces" in set) return verdictsOf(set, read);
  const elements = read(set);
  if (set.set === "self") return elements.map((address) => `${address} . ${address}`);
  return set.set !== "local" && set.set.kind === "port" ? elements.map(portElement) : elements;
}

/** As nft prints them with numbers. */
const protocols: Readonly<Record<string, number>> = { tcp: 6, udp: 17, sctp: 132 };

/** From `ADDRESS,PROTOCOL:PORT`; an address of IPv6 has colons, too. */
function portElement(element: string): string {
  const [, address = "", protocol = "", port = ""] = /^(.*),(\w+):(\d+)$/.exec(element) ?? [];
  return `${address} . ${protocols[protocol] ?? ""} . ${port}`;
}

/** An address that pods of two namespaces have, as while one takes the other's place, is of the first. */
function verdictsOf(
  { set: { direction, tier }, namespaces }: BranchMap,
  read: (set: NodeSet) => readonly string[],
): readonly string[] {
  const chainOfAddress = new Map<string, string>();
  for (const { namespace, groups } of namespaces)
    for (const address of read({ set: { kind: "namespace", namespace }, groups }))
      if (!chainOfAddress.has(address))
        chainOfAddress.set(address, namespaceChain(direction, tier, namespace));
  return [...chainOfAddress].toSorted().map(([address, chain]) => `${address} : goto ${chain}`);
}
