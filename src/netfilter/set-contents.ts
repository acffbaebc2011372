// What the sets of a program contain now, read from the membership.

import { AddressLists } from "../contents/address-lists.ts";
import { DestinationLists } from "../contents/destination-lists.ts";
import { LocalPods } from "../contents/local-pods.ts";
import { invariant } from "../lib/invariant.ts";
import { ascending } from "../lib/ascending.ts";
import type { IpAddress, IpFamily } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { Direction, GroupKey } from "../policy/ir.ts";
import type { TierKey } from "../policy/order.ts";
import { localSet, setName } from "./names.ts";
import type { SetContents, SetHead, SetType } from "./print-ipset.ts";
import type { FilterProgram, FilterSet } from "./program.ts";
import { setsOf, setText, subjectsOf } from "./program.ts";

/** The node's pods that are a subject, of any of the groups; `self`: each of their addresses with itself. */
export interface LocalSet {
  readonly set: "local" | "self";
  readonly groups: readonly GroupKey[];
}

/** For nftables: from the addresses of a tier's pods to the chains of their namespaces, of which the first that has an address counts. */
export interface BranchMap {
  readonly set: { readonly kind: "map"; readonly direction: Direction; readonly tier: TierKey };
  readonly groups: readonly GroupKey[];
  readonly namespaces: readonly { readonly namespace: string; readonly groups: readonly GroupKey[] }[];
}

export type NodeSet = FilterSet | LocalSet | BranchMap;

export function isOfLocalPods(set: NodeSet): set is LocalSet {
  return set.set === "local" || set.set === "self";
}

/** Identifies the set. */
export function keyOfSet({ set }: NodeSet): string {
  if (typeof set === "string") return set;
  return set.kind === "map" ? `map ${set.direction} ${set.tier}` : setText(set);
}

/** Whether policies of several namespaces, or all, have their pods in it. */
export function isShared({ set }: NodeSet): boolean {
  return typeof set === "string" || set.kind === "map" || set.kind === "namespace";
}

/** The elements of sets, as a tool prints them. Valid while members do not change. */
export interface ElementReader {
  elements(set: NodeSet, family: IpFamily): readonly string[];
  /** Those that begin with the address. */
  at(set: NodeSet, address: IpAddress): readonly string[];
}

/** The sets that a program needs, in the words of a tool. */
export interface SetForm {
  of(program: FilterProgram): readonly NodeSet[];
  head(set: NodeSet, family: IpFamily): SetHead;
  /** `zone`: the node's name; null: every pod is local. */
  reader(membership: Membership, zone: string | null): ElementReader;
}

export const ipsetForm: SetForm = {
  of: nodeSetsOf,
  head: headOf,
  reader: (membership, zone) => new SetReader(membership, zone),
};

/** What the sets contain, of those of a program. */
export function contentsOf(
  sets: readonly NodeSet[],
  family: IpFamily,
  form: Pick<SetForm, "head">,
  reader: ElementReader,
): readonly SetContents[] {
  return sets.map((set) => ({ ...form.head(set, family), elements: reader.elements(set, family) }));
}

/** Of a program without lines: none. First the one of the node's pods. */
export function nodeSetsOf(program: FilterProgram): readonly NodeSet[] {
  const sets = setsOf(program);
  return sets.length === 0 ? [] : [{ set: "local", groups: subjectsOf(program) }, ...sets];
}

function headOf(set: NodeSet, family: IpFamily): SetHead {
  if (isOfLocalPods(set)) return { name: localSet(family), family, type: "hash:ip" };
  invariant(set.set.kind !== "map", "ipset has no maps");
  const type: SetType = set.set.kind === "port" ? "hash:ip,port" : "hash:ip";
  return { name: setName(family, set.set), family, type };
}

/** For ipset: an address, or `ADDRESS,PROTOCOL:PORT`. Of a map, the addresses. */
export class SetReader implements ElementReader {
  readonly #addresses: AddressLists;
  readonly #destinations: DestinationLists<string>;
  readonly #membership: Membership;
  readonly #local: LocalPods;

  /** As of a SetForm. */
  constructor(membership: Membership, zone: string | null) {
    this.#membership = membership;
    this.#addresses = new AddressLists(membership);
    this.#destinations = new DestinationLists(membership, elementOf, false);
    this.#local = new LocalPods(membership, zone);
  }

  at(set: NodeSet, address: IpAddress): readonly string[] {
    const { groups } = set;
    const holders = (group: GroupKey) => Iterator.from(this.#membership.holders(group, address));
    if (isOfLocalPods(set)) {
      const isIt = groups.some((group) => holders(group).some(({ node }) => this.#local.isOn(node)));
      return isIt ? [address] : [];
    }
    if (set.set.kind === "port") {
      const { group, name } = set.set;
      const ports = holders(group).flatMap((pod) => pod.ports.filter((port) => port.name === name));
      return [...new Set(ports.map(({ protocol, port }) => elementOf(address, protocol, port)))];
    }
    return groups.some((group) => this.#membership.addresses(group).has(address)) ? [address] : [];
  }

  elements(set: NodeSet, family: IpFamily): readonly string[] {
    const { groups } = set;
    if (isOfLocalPods(set)) {
      const ips = [...this.#local.of(groups)].flatMap((pod) => pod.ips);
      return ascending(ips.filter((ip) => familyOf(ip) === family));
    }
    if (set.set.kind === "port") return this.#ports(set.set.group, set.set.name, family);
    return this.#addresses.of({ family, groups, networks: new Set() });
  }

  #ports(group: GroupKey, name: string, family: IpFamily): readonly string[] {
    const all = this.#destinations.of(group, name).filter(({ ip }) => familyOf(ip) === family);
    return ascending(all.map(({ label }) => label));
  }
}

function elementOf(ip: string, protocol: string, port: number): string {
  return `${ip},${protocol}:${port}`;
}
