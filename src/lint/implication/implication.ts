// Whether whatever one selector, peer or port matches is matched by another too, in any world: for policies that are checked
// without the cluster that they are for. True only where it is certain. Of networks, and of selectors that are lists of
// requirements, it is exact; of other selectors, and of several peers or ports that only together cover one, it may be false
// although it holds.

import { isDeepStrictEqual } from "node:util";
import { everyAddress, familyOf, ipFamilies } from "../../model/ip.ts";
import type { Cidr } from "../../model/ip.ts";
import { holdsNetwork } from "../../model/cidr.ts";
import { opposite } from "../../model/selectors/folding.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { Requirement, Selector } from "../../model/selector.ts";
import type {
  Addresses,
  NarrowedPods,
  OtherAddresses,
  Peer,
  PortMatch,
  PortRange,
  Rule,
  SameNamespaces,
  SubjectGroup,
} from "../../policy/ir.ts";
import { byAnyAddress } from "../../policy/peers.ts";
import { allowedBy, isNothing, isWithin, ownValues } from "./allowed-values.ts";
import type { NetworkPeer } from "./together.ts";
import { holdTogether } from "./together.ts";

export function selectorImplies(narrow: Selector, wide: Selector): boolean {
  if (narrow.text === wide.text) return true;
  if (wide.kind === "and") return wide.operands.every((one) => selectorImplies(narrow, one));
  if (narrow.kind === "or") return narrow.operands.every((one) => selectorImplies(one, wide));
  if (wide.kind === "or") return wide.operands.some((one) => selectorImplies(narrow, one));
  if (narrow.kind === "and" && narrow.operands.some((one) => selectorImplies(one, wide))) return true;
  const [all, asked] = [requirementsOf(narrow), requirementsOf(wide)];
  if (asked === null) return false;
  if (all === null) return asked.length === 0;
  const allowed = allowedBy(all);
  if ([...allowed.values()].some(isNothing)) return true;
  return [...allowedBy(asked)].every(([key, value]) => isWithin(allowed.get(key) ?? ownValues(key), value));
}

/** Whether one thing could be selected by both; true where it is not known. */
export function canMeet(one: Selector, other: Selector): boolean {
  const [a, b] = [requirementsOf(one), requirementsOf(other)];
  if (a === null || b === null) return true;
  return ![...allowedBy([...a, ...b]).values()].some(isNothing);
}

export function subjectImplies(narrow: readonly SubjectGroup[], wide: readonly SubjectGroup[]): boolean {
  return narrow.every((one) => wide.some((other) => groupImplies(one, other)));
}

/** Equal for the same keys. */
function sharedKey(keys: readonly string[]): string {
  return JSON.stringify([...new Set(keys)].sort());
}

function groupImplies(narrow: SubjectGroup, wide: SubjectGroup): boolean {
  if (narrow.kind !== "pods" || wide.kind !== "pods")
    return narrow.kind === "podsOfNode" && wide.kind === "podsOfNode" && narrow.node === wide.node;
  return selectorImplies(narrow.namespaces, wide.namespaces) && selectorImplies(narrow.pods, wide.pods);
}

export function peerImplies(narrow: Peer, wide: Peer): boolean {
  if (wide.kind === "everything") return true;
  if (narrow.kind === "sameNamespaces") return sameNamespacesImply(narrow, wide);
  if (narrow.kind === "narrowed") return narrowedImplies(narrow, wide);
  if (narrow.kind === "others") return othersImply(narrow, wide);
  if (narrow.kind === "pods" && wide.kind === "pods") return groupImplies(narrow, wide);
  if (narrow.kind === "nodes" && wide.kind === "nodes") return selectorImplies(narrow.nodes, wide.nodes);
  if (narrow.kind === "hostNames" && wide.kind === "hostNames")
    return selectorImplies(narrow.names, wide.names);
  return narrow.kind === "network" && wide.kind === "network" && networkImplies(narrow, wide);
}

function sameNamespacesImply(narrow: SameNamespaces, wide: Peer): boolean {
  if (wide.kind === "pods") return isEverything(wide.namespaces) && selectorImplies(narrow.pods, wide.pods);
  return (
    wide.kind === "sameNamespaces" &&
    sharedKey(narrow.keys) === sharedKey(wide.keys) &&
    selectorImplies(narrow.pods, wide.pods)
  );
}

function narrowedImplies(narrow: NarrowedPods, wide: Peer): boolean {
  const group = byAnyAddress(wide);
  const isOfGroup = group.kind === "pods" && groupImplies(narrow.pods, group);
  if (wide.kind === "network") return addressesImply(narrow, { networks: [wide.cidr], except: wide.except });
  return isOfGroup && (wide.kind === "pods" || (wide.kind === "narrowed" && addressesImply(narrow, wide)));
}

/** What the wide one leaves out the narrow one leaves out as well. */
function othersImply(narrow: OtherAddresses, wide: Peer): boolean {
  if (wide.kind === "network") return addressesImply(narrow, { networks: [wide.cidr], except: wide.except });
  if (wide.kind !== "others" || !addressesImply(narrow, wide)) return false;
  return wide.pods.every((group) => narrow.pods.some((own) => groupImplies(group, own)));
}

function addressesImply(narrow: Addresses, wide: Addresses): boolean {
  return peersOf(narrow).every((one) => holdTogether(one, peersOf(wide)));
}

function peersOf({ networks, except }: Addresses): readonly NetworkPeer[] {
  return networks.map((cidr) => ({ kind: "network", cidr, except }));
}

export function networkImplies(narrow: NetworkPeer, wide: NetworkPeer): boolean {
  if (!holdsNetwork(wide.cidr, narrow.cidr)) return false;
  return wide.except.every(
    (gap) => areApart(gap, narrow.cidr) || narrow.except.some((own) => holdsNetwork(own, gap)),
  );
}

export function areApart(one: Cidr, other: Cidr): boolean {
  return familyOf(one) !== familyOf(other) || !(holdsNetwork(one, other) || holdsNetwork(other, one));
}

/** null: any port. */
export function portImplies(narrow: PortMatch | null, wide: PortMatch): boolean {
  if (narrow === null) return false;
  if (narrow.kind === "protocols")
    return narrow.numbers.every((number) => portImplies({ kind: "protocol", number }, wide));
  const numbers = numbersOf(wide);
  if (numbers !== null) return numbers.includes(numberOf(narrow) ?? -1);
  if (isOfIcmp(narrow) || isOfIcmp(wide)) return icmpImplies(narrow, wide);
  return portsImply(narrow, wide);
}

/** Of which it is all; null: it is not about whole protocols. */
function numbersOf(port: PortMatch): readonly number[] | null {
  if (port.kind === "protocols") return port.numbers;
  return port.kind === "protocol" ? [port.number] : null;
}

function portsImply(narrow: PortMatch, wide: PortMatch): boolean {
  if (narrow.kind === "declared") return isDeepStrictEqual(narrow, wide);
  if (!isSourceWithin(narrow, wide)) return false;
  if (narrow.kind === "named" && wide.kind === "named")
    return narrow.name === wide.name && (wide.protocol ?? narrow.protocol) === narrow.protocol;
  const [inner, outer] = [rangeOf(narrow), rangeOf(wide)];
  if (inner === null || outer?.protocol !== inner.protocol) return false;
  return outer.start <= inner.start && inner.end <= outer.end;
}

type IcmpMatch = Extract<PortMatch, { kind: "icmp" | "otherIcmp" }>;

function isOfIcmp(port: PortMatch): port is IcmpMatch {
  return port.kind === "icmp" || port.kind === "otherIcmp";
}

function icmpImplies(narrow: PortMatch, wide: PortMatch): boolean {
  if (!isOfIcmp(narrow) || !isOfIcmp(wide)) return false;
  if (wide.family !== null && wide.family !== narrow.family) return false;
  if (narrow.kind === "otherIcmp")
    return wide.kind === "otherIcmp" ? isLeftOut(wide, narrow) : wide.type === null && wide.code === null;
  if (wide.kind === "otherIcmp") return isApart(narrow, wide);
  return (["type", "code"] as const).every((field) => wide[field] === null || wide[field] === narrow[field]);
}

type IcmpValues = Pick<IcmpMatch, "type" | "code">;

/** Whether what the one leaves out, the other leaves out too. */
function isLeftOut(one: IcmpValues, by: IcmpValues): boolean {
  return one.type === by.type && (by.code === null || by.code === one.code);
}

/** Whether nothing has the values of both. */
function isApart(one: IcmpValues, other: IcmpValues): boolean {
  if (one.type !== null && one.type !== other.type) return true;
  return one.type !== null && one.code !== null && other.code !== null && one.code !== other.code;
}

/** Whether every peer with every port of the rule is one of these rules', in whichever way the rule's connections arrive. */
export function areCovered(rule: Rule, all: readonly Rule[]): boolean {
  const by = all.filter(
    ({ translated, own }) => (translated !== true || rule.translated === true) && ownImplies(rule.own, own),
  );
  return (rule.ports ?? [null]).every((port) => {
    const able = by.filter(({ ports }) => ports?.some((wide) => portImplies(port, wide)) ?? true);
    const peers = able.flatMap((other) => other.peers);
    const networks = peers.filter((peer) => peer.kind === "network");
    return rule.peers.every(
      (peer) =>
        peers.some((wide) => peerImplies(peer, wide)) ||
        (peer.kind === "network" && networks.length > 1 && holdTogether(peer, networks)) ||
        (peer.kind === "hostNames" && everyNetwork.every((one) => holdTogether(one, networks))),
    );
  });
}

/** A name may lead to any address of either family. */
const everyNetwork: readonly NetworkPeer[] = ipFamilies.map((family) => ({
  ...{ kind: "network", cidr: everyAddress(family), except: [] },
}));

/** Absent: any address. */
function ownImplies(narrow?: Addresses, wide?: Addresses): boolean {
  return wide === undefined || (narrow !== undefined && addressesImply(narrow, wide));
}

/** null: the selector is no list of requirements. */
function requirementsOf(selector: Selector): readonly Requirement[] | null {
  if (selector.kind === "requirements") return selector.requirements;
  if (selector.kind === "and") {
    const lists = selector.operands.map(requirementsOf);
    return lists.every((list) => list !== null) ? lists.flat() : null;
  }
  if (selector.kind !== "not" || selector.operand.kind !== "requirements") return null;
  const [only, ...others] = selector.operand.requirements;
  if (only === undefined || others.length > 0) return null;
  const contrary = opposite(only);
  return contrary === null ? null : [contrary];
}

function isEverything(selector: Selector): boolean {
  return selector.kind === "requirements" && selector.requirements.length === 0;
}

function numberOf(port: PortMatch): number | null {
  if (port.kind === "protocol") return port.number;
  const protocol = "protocol" in port ? port.protocol : undefined;
  return protocol === undefined ? null : protocolNumbers[protocol];
}

function isSourceWithin(narrow: PortMatch, wide: PortMatch): boolean {
  const [inner, outer] = [sourceOf(narrow), sourceOf(wide)];
  if (outer === null) return true;
  return inner !== null && outer.start <= inner.start && inner.end <= outer.end;
}

function sourceOf(port: PortMatch): PortRange | null {
  return "source" in port ? port.source : null;
}

/** null: not one range of numbers. */
export function rangeOf(port: PortMatch) {
  if (port.kind === "port") return { protocol: port.protocol, start: port.port, end: port.port };
  return port.kind === "range" ? port : null;
}
