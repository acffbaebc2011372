// The sets and maps of a table of nftables: the sets of a program, each local address with itself, and for each tier of namespaces a map
// from an address to the chain of its namespace.

import type { IpFamily } from "../../model/ip.ts";
import type { Direction } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { branchChain, branchMap, selfSet } from "../names.ts";
import type { SetContents } from "../print-ipset.ts";
import type { Branch, FilterProgram, TierProgram } from "../program.ts";
import { namespaceSetOf } from "../program.ts";
import type { NodeSet, SetReader } from "../set-contents.ts";
import { nodeSetsOf } from "../set-contents.ts";

/** A set, or a map to verdicts. */
export interface NftSet {
  readonly name: string;
  /** As `nft list` prints it. */
  readonly type: string;
  /** Ascending; of a map, `KEY : goto CHAIN`. */
  readonly elements: readonly string[];
}

const addresses: Readonly<Record<IpFamily, string>> = { v4: "ipv4_addr", v6: "ipv6_addr" };

export function nftSets(
  program: FilterProgram,
  families: readonly IpFamily[],
  reader: SetReader,
): readonly NftSet[] {
  const sets = nodeSetsOf(program).filter(({ set }) => set === "local" || set.kind !== "namespace");
  return families.flatMap((family) => [
    ...sets.flatMap((set) => ofNodeSet(set, reader.contents(set, family))),
    ...directions
      .toSorted()
      .flatMap((direction) => program[direction].flatMap((tier) => ofTier(tier, direction, family, reader))),
  ]);
}

function ofNodeSet({ set }: NodeSet, { name, family, type, elements }: SetContents): readonly NftSet[] {
  const address = addresses[family];
  if (type === "hash:ip,port")
    return [{ name, type: `${address} . inet_proto . inet_service`, elements: elements.map(portElement) }];
  const own = { name, type: address, elements };
  if (set !== "local") return [own];
  const selves = elements.map((element) => `${element} . ${element}`);
  return [own, { name: selfSet(family), type: `${address} . ${address}`, elements: selves }];
}

/** From `ADDRESS,PROTOCOL:PORT`; an address of IPv6 has colons, too. */
function portElement(element: string): string {
  const [, address = "", protocol = "", port = ""] = /^(.*),(\w+):(\d+)$/.exec(element) ?? [];
  return `${address} . ${protocol} . ${port}`;
}

/** An address that pods of two namespaces have, as while one takes the other's place, is of the first. */
function ofTier(
  { key, branches }: TierProgram,
  direction: Direction,
  family: IpFamily,
  reader: SetReader,
): readonly NftSet[] {
  const chainOfAddress = new Map<string, string>();
  const placed = branches.flatMap((branch) => withNamespace(branch));
  if (placed.length === 0) return [];
  for (const { namespace, branch } of placed)
    for (const address of reader.contents(namespaceSetOf(namespace, [branch]), family).elements)
      if (!chainOfAddress.has(address)) chainOfAddress.set(address, branchChain(direction, key, namespace));
  const elements = [...chainOfAddress].toSorted().map(([address, chain]) => `${address} : goto ${chain}`);
  return [{ name: branchMap(direction, key, family), type: `${addresses[family]} : verdict`, elements }];
}

function withNamespace(branch: Branch): readonly { readonly namespace: string; readonly branch: Branch }[] {
  return branch.namespace === null ? [] : [{ namespace: branch.namespace, branch }];
}
