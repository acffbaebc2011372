// What is made once before ends are compared. Of both families together: the entries, signs for labels, and the ports that are
// named. Of one family: the addresses cut at every border, and the four sides, each direction in each world.

import { AddressSpace } from "../analysis/address-space.ts";
import { neverPods } from "../analysis/internet.ts";
import { aloneIn, contains } from "../model/cidr.ts";
import { addressesOfNode, isOnPodNetwork } from "../model/facts.ts";
import type { Cidr, IpAddress, IpFamily } from "../model/ip.ts";
import type { Selector } from "../model/selector.ts";
import { selects } from "../model/selector.ts";
import type { Direction, Peer, Policy, Rule } from "../policy/ir.ts";
import { directions, groupKey } from "../policy/ir.ts";
import { addressesOf } from "../policy/matching.ts";
import { peersAsked } from "../policy/peers.ts";
import { DeclaredPorts } from "./ends/declared-ports.ts";
import { Signs } from "./ends/signs.ts";
import type { Entry } from "./entries.ts";
import { entriesOf } from "./entries.ts";
import { Interner } from "./interner.ts";
import type { Lists } from "./lists.ts";
import { Side } from "./side.ts";
import type { Both, PolicyWorld } from "./worlds.ts";
import { ofEach, worldsIn } from "./worlds.ts";

export interface Basis {
  readonly worlds: Both<PolicyWorld>;
  /** In their order. */
  readonly entries: Readonly<Record<Direction, Both<readonly Entry[]>>>;
  readonly namespaces: Signs;
  readonly pods: Signs;
  readonly declared: DeclaredPorts;
  /** Pods of these namespaces are no ends. */
  readonly open: ReadonlySet<string>;
  /** Networks that begin and end where the ends may change. */
  readonly borders: ReadonlySet<Cidr>;
  /** Addresses of pods. */
  readonly held: ReadonlySet<IpAddress>;
  /** Addresses that pods which are not there yet cannot have, beside those of pods and nodes. */
  readonly taken: readonly IpAddress[];
}

/** Of the question, beside what the policies say. */
export interface AskedPlaces {
  readonly borders?: readonly Cidr[];
  readonly taken?: readonly IpAddress[];
}

export interface Frame extends Basis {
  readonly family: IpFamily;
  readonly space: AddressSpace;
  readonly lists: Lists;
  readonly sides: Readonly<Record<Direction, Both<Side>>>;
  /** Where pods may be that are not there yet; none where no workload stands for any. */
  readonly placesOfPods: readonly FreePlace[];
}

/** A piece of the addresses, and one in it that neither a pod nor a node has. */
export interface FreePlace {
  readonly piece: number;
  readonly ip: IpAddress;
}

export function basisOf(
  worlds: Both<PolicyWorld>,
  open: ReadonlySet<string>,
  { borders = [], taken = [] }: AskedPlaces = {},
): Basis {
  const policies = worldsIn(worlds).flatMap((world) => world.policies);
  const selectors = selectorsOf(policies);
  return {
    worlds,
    entries: { egress: entriesOf(worlds, "egress"), ingress: entriesOf(worlds, "ingress") },
    namespaces: new Signs(selectors.namespaces),
    pods: new Signs(selectors.pods),
    declared: new DeclaredPorts(policies),
    open,
    borders: new Set([...bordersOf(worlds), ...borders]),
    held: heldByPods(worlds),
    taken,
  };
}

export function frameOf(basis: Basis, family: IpFamily, lists: Lists): Frame {
  const { worlds, entries } = basis;
  const space = new AddressSpace(family, basis.borders, basis.held);
  const sidesOf = (direction: Direction): Both<Side> => {
    const atoms = new Interner();
    return ofEach(worlds, (age) => {
      const { nodes, hostNames } = worlds[age].facts;
      return new Side({
        ...basis,
        ...{ space, lists, entries: entries[direction][age], nodes, hostNames, atoms },
      });
    });
  };
  return {
    ...basis,
    ...{ family, space, lists, sides: { egress: sidesOf("egress"), ingress: sidesOf("ingress") } },
    placesOfPods: hasWorkloads(worlds) ? freePlaces(basis, family) : [],
  };
}

function hasWorkloads(worlds: Both<PolicyWorld>): boolean {
  return worldsIn(worlds).some(({ workloads = [] }) => workloads.length > 0);
}

/** The pieces are those of the frame's addresses. */
function freePlaces({ worlds, borders, held, taken }: Basis, family: IpFamily): readonly FreePlace[] {
  const nodes = worldsIn(worlds).flatMap(({ facts }) => [...facts.nodes].flatMap(addressesOfNode));
  const space = new AddressSpace(family, borders, [...held, ...nodes, ...taken]);
  return Array.from({ length: space.size }, (_, piece) => ({ piece, ip: space.freeIn(piece) })).flatMap(
    ({ piece, ip }) => (ip === null || neverPods.some((one) => contains(one, ip)) ? [] : [{ piece, ip }]),
  );
}

export function rulesOf({ rules }: Policy): readonly Rule[] {
  return directions.flatMap((direction) => rules[direction]);
}

/** The networks of rules, and each address of a node or host name that a rule selects. */
function bordersOf(worlds: Both<PolicyWorld>): ReadonlySet<Cidr> {
  const policies = worldsIn(worlds).flatMap((world) => world.policies);
  const rules = policies.flatMap(rulesOf);
  const peers = rules.flatMap((rule) => rule.peers);
  const networks = [
    ...rules.flatMap(({ own }) => (own === undefined ? [] : [...own.networks, ...own.except])),
    ...peers.flatMap(networksOfPeer),
  ];
  const special = hasWorkloads(worlds) ? neverPods : [];
  return new Set([...networks, ...special, ...addressesOfGroups(worlds, peers).map(aloneIn)]);
}

function addressesOfGroups(worlds: Both<PolicyWorld>, peers: readonly Peer[]): readonly IpAddress[] {
  const groups = new Map(
    peers.flatMap((peer) =>
      peer.kind === "nodes" || peer.kind === "hostNames" ? [[groupKey(peer), peer]] : [],
    ),
  );
  return worldsIn(worlds).flatMap(({ facts }) =>
    [...groups.values()].flatMap((group) =>
      group.kind === "hostNames"
        ? addressesOf(group, facts)
        : [...facts.nodes].flatMap(({ labels, ips }) => (selects(group.nodes, labels) ? ips : [])),
    ),
  );
}

function networksOfPeer(peer: Peer): readonly Cidr[] {
  if (peer.kind === "narrowed" || peer.kind === "others") return [...peer.networks, ...peer.except];
  return peer.kind === "network" ? [peer.cidr, ...peer.except] : [];
}

/** What is held by no pod of either world is an end of its own. */
function heldByPods(worlds: Both<PolicyWorld>): ReadonlySet<IpAddress> {
  const pods = worldsIn(worlds).flatMap(({ facts }) => [...facts.pods.values()]);
  return new Set(pods.filter(isOnPodNetwork).flatMap(({ ips }) => ips));
}

function selectorsOf(
  policies: readonly Policy[],
): Readonly<Record<"namespaces" | "pods", readonly Selector[]>> {
  const namespaces = new Map<string, Selector>();
  const pods = new Map<string, Selector>();
  for (const policy of policies) {
    const groups = rulesOf(policy).flatMap(({ subject, peers }) => [
      ...(subject ?? []),
      ...peers.flatMap(peersAsked),
    ]);
    for (const group of [...policy.subject, ...groups]) {
      if (group.kind === "pods") namespaces.set(group.namespaces.text, group.namespaces);
      if (group.kind === "pods" || group.kind === "sameNamespaces") pods.set(group.pods.text, group.pods);
    }
  }
  return { namespaces: [...namespaces.values()], pods: [...pods.values()] };
}
