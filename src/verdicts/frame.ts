// What is made once before ends are compared: the addresses cut at every border, signs for labels, and the four sides, each
// direction in each world.

import type { Cidr, IpFamily } from "../model/ip.ts";
import { aloneIn } from "../model/cidr.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Selector } from "../model/selector.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { AddressSpace } from "../analysis/address-space.ts";
import { DeclaredPorts } from "./declared-ports.ts";
import type { Entry } from "./entries.ts";
import { entriesOf } from "./entries.ts";
import { Interner } from "./interner.ts";
import { Lists } from "./lists.ts";
import { openNamespaces } from "./open-namespaces.ts";
import { Side } from "./side.ts";
import { Signs } from "./signs.ts";
import type { Both, PolicyWorld } from "./worlds.ts";
import { ages, both } from "./worlds.ts";

export interface Frame {
  readonly worlds: Both<PolicyWorld>;
  readonly family: IpFamily;
  readonly space: AddressSpace;
  readonly namespaces: Signs;
  readonly pods: Signs;
  readonly lists: Lists;
  /** In their order. */
  readonly entries: Readonly<Record<Direction, Both<readonly Entry[]>>>;
  readonly sides: Readonly<Record<Direction, Both<Side>>>;
  readonly declared: DeclaredPorts;
  /** Pods of these namespaces are no ends. */
  readonly open: ReadonlySet<string>;
}

export function frameOf(worlds: Both<PolicyWorld>, family: IpFamily): Frame {
  const policies = ages.flatMap((age) => worlds[age].policies);
  const selectors = selectorsOf(policies);
  const shared = {
    lists: new Lists(),
    space: new AddressSpace(family, bordersOf(worlds), heldByPods(worlds)),
    namespaces: new Signs(selectors.namespaces),
    pods: new Signs(selectors.pods),
  };
  const entries = { egress: entriesOf(worlds, "egress"), ingress: entriesOf(worlds, "ingress") };
  const sidesOf = (direction: Direction): Both<Side> => {
    const atoms = new Interner();
    return both((age) => {
      const { nodes } = worlds[age].facts;
      return new Side({ ...shared, entries: entries[direction][age], nodes, atoms });
    });
  };
  const sides = { egress: sidesOf("egress"), ingress: sidesOf("ingress") };
  const open = openNamespaces(worlds);
  return { worlds, family, ...shared, entries, sides, declared: new DeclaredPorts(policies), open };
}

function rulesOf({ rules }: Policy): readonly Rule[] {
  return directions.flatMap((direction) => rules[direction]);
}

/** Networks that begin and end where the ends may change: those of rules, and a node's address each. */
function bordersOf(worlds: Both<PolicyWorld>): readonly Cidr[] {
  return ages.flatMap((age) => {
    const { policies, facts } = worlds[age];
    const peers = policies.flatMap(rulesOf).flatMap((rule) => rule.peers);
    const networks = peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr, ...peer.except] : []));
    const isNodes = peers.some(({ kind }) => kind === "nodes");
    const nodes = isNodes ? [...facts.nodes].flatMap(({ ips }) => ips.map(aloneIn)) : [];
    return [...new Set(networks), ...nodes];
  });
}

/** What is held by no pod of either world is an end of its own. */
function heldByPods(worlds: Both<PolicyWorld>) {
  return ages.flatMap((age) =>
    [...worlds[age].facts.pods.values()].filter(isOnPodNetwork).flatMap(({ ips }) => ips),
  );
}

function selectorsOf(
  policies: readonly Policy[],
): Readonly<Record<"namespaces" | "pods", readonly Selector[]>> {
  const namespaces = new Map<string, Selector>();
  const pods = new Map<string, Selector>();
  for (const policy of policies) {
    const groups = rulesOf(policy).flatMap(({ subject, peers }) => [...(subject ?? []), ...peers]);
    for (const group of [...policy.subject, ...groups]) {
      if (group.kind === "pods") namespaces.set(group.namespaces.text, group.namespaces);
      if (group.kind === "pods" || group.kind === "sameNamespaces") pods.set(group.pods.text, group.pods);
    }
  }
  return { namespaces: [...namespaces.values()], pods: [...pods.values()] };
}
