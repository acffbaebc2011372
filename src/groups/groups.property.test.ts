// Any sequence of changes ends in the state of a fresh instance, and a copy that re-reads only what drained edges name
// is always up to date. The third opinion is the definition itself, written as loops over the facts.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import type { Edges } from "../policy/contracts/membership.ts";
import type { HostNameFact, NamedPort, NamespaceFact, NodeFact, PodFact, PodKey } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { allOf, anyOf, negated, requirements, selects, type Selector } from "../model/selector.ts";
import { groupKey, type GroupKey, type PeerGroup } from "../policy/ir.ts";
import { FedGroups } from "../../test/support/fed-groups.ts";
import { ip } from "../../test/support/facts.ts";
import { isOnPodNetwork, podKey } from "../model/facts.ts";
import {
  hostNameKey,
  hostNameLabels,
  nameKey,
  namespaceLabels,
  podLabels,
  serviceAccountKey,
} from "../model/selectable.ts";

const keys = ["app", "tier"];
const values = ["a", "b", "ab"];
const texts = ["a", "b"];
const names = ["p", "q", "r"];
const namespaces = ["x", "y"];
const nodes = ["n", "m"];
const hosts = ["a.test", "b.test"];
const serviceAccounts = ["default", "robot"];
const portNames = ["http", "dns"];
const addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "fd00::1"].map(ip);

const labels = fc
  .dictionary(fc.constantFrom(...keys), fc.constantFrom(...values))
  .map((table) => new Map(Object.entries(table)));
const ips = fc.subarray(addresses, { maxLength: 2 });
const ports: fc.Arbitrary<readonly NamedPort[]> = fc.array(
  fc.record({
    name: fc.constantFrom(...portNames),
    protocol: fc.constantFrom("tcp" as const, "udp" as const),
    port: fc.constantFrom(80, 81),
  }),
  { maxLength: 2 },
);
const rarely = fc.nat({ max: 5 }).map((n) => n === 0);

const podFact: fc.Arbitrary<PodFact> = fc.record({
  kind: fc.constant("Pod"),
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom(...names),
  labels,
  node: fc.constantFrom("n", "m", "n", "m", null),
  serviceAccount: fc.constantFrom(...serviceAccounts),
  hostNetwork: rarely,
  completed: rarely,
  ips,
  ports,
});
const namespaceFact: fc.Arbitrary<NamespaceFact> = fc.record({
  kind: fc.constant("Namespace"),
  name: fc.constantFrom(...namespaces),
  labels,
});
const nodeFact: fc.Arbitrary<NodeFact> = fc.record({
  kind: fc.constant("Node"),
  name: fc.constantFrom(...nodes),
  labels,
  ips,
  podFamilies: fc.constant([]),
});

const hostFact: fc.Arbitrary<HostNameFact> = fc.record({
  kind: fc.constant("HostName"),
  name: fc.constantFrom(...hosts),
  ips,
});

/** Selectors over the labels, and under a pseudo key over these names. */
function selectorsOver(pseudoKey: string, pseudoValues: readonly string[]): fc.Arbitrary<Selector> {
  const requirement = fc.oneof(
    fc.record({
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      key: fc.constantFrom(...keys),
      values: fc.subarray(values),
    }),
    fc.record({
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      key: fc.constant(pseudoKey),
      values: fc.subarray([...pseudoValues]),
    }),
    fc.record({
      operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const),
      key: fc.constantFrom(...keys, pseudoKey),
    }),
    fc.record({
      operator: fc.constantFrom("Contains" as const, "StartsWith" as const, "EndsWith" as const),
      key: fc.constantFrom(...keys, pseudoKey),
      text: fc.constantFrom("", ...texts, ...pseudoValues.map((value) => value.slice(0, 2))),
    }),
  );
  return fc.letrec<{ selector: Selector; list: Selector[] }>((tie) => ({
    selector: fc.oneof(
      { maxDepth: 2 },
      fc.array(requirement, { maxLength: 2 }).map(requirements),
      tie("list").map(allOf),
      tie("list").map(anyOf),
      tie("selector").map(negated),
    ),
    list: fc.array(tie("selector"), { maxLength: 2 }),
  })).selector;
}
const namespaceSelector = selectorsOver(nameKey, namespaces);
const hostSelector = selectorsOver(hostNameKey, hosts);
const podSelector = selectorsOver(serviceAccountKey, serviceAccounts);
const group: fc.Arbitrary<PeerGroup> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("pods"), namespaces: namespaceSelector, pods: podSelector }),
  },
  // Selectors cannot ask for a node's name: the pseudo keys are missing.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("nodes"), nodes: namespaceSelector }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("hostNames"), names: hostSelector }) },
);

type Change =
  | { readonly do: "pod"; readonly fact: PodFact }
  | { readonly do: "namespace"; readonly fact: NamespaceFact }
  | { readonly do: "node"; readonly fact: NodeFact }
  | { readonly do: "host"; readonly fact: HostNameFact }
  /** A pod with a single changed property. */
  | { readonly do: "edit"; readonly pod: PodKey; readonly patch: Partial<PodFact> }
  | { readonly do: "deletePod"; readonly pod: PodKey }
  | { readonly do: "deleteNamespace" | "deleteNode" | "deleteHost"; readonly name: string }
  | { readonly do: "retain" | "release"; readonly group: number }
  | { readonly do: "drain" };

const somePod = fc.record({ ns: fc.constantFrom(...namespaces), name: fc.constantFrom(...names) });
const someKey = somePod.map(({ ns, name }) => podKey(ns, name));
const patch: fc.Arbitrary<Partial<PodFact>> = fc.oneof(
  fc.record({ ips }),
  fc.record({ labels }),
  fc.record({ serviceAccount: fc.constantFrom(...serviceAccounts) }),
  fc.record({ ports }),
  fc.record({ node: fc.constantFrom(...nodes) }),
  fc.record({ completed: fc.boolean() }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("pod" as const), fact: podFact }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("edit" as const), pod: someKey, patch }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("namespace" as const), fact: namespaceFact }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("node" as const), fact: nodeFact }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("deletePod" as const), pod: someKey }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("deleteNamespace" as const),
      name: fc.constantFrom(...namespaces),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("deleteNode" as const), name: fc.constantFrom(...nodes) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("host" as const), fact: hostFact }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("deleteHost" as const), name: fc.constantFrom(...hosts) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("retain" as const, "release" as const),
      group: fc.nat({ max: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: "drain" as const }) },
);

/** All answers about one group, as plain values. */
interface Answers {
  readonly addresses: Set<string>;
  /** Includes the node: an edge of a pod covers its node. */
  readonly pods: Map<PodKey, string | null>;
  readonly ports: Map<string, string>;
  /** By port name and address: the nodes and numbers there. */
  readonly numbers: Map<string, string>;
}

function portsText(found: Iterable<{ readonly pod: PodFact; readonly ports: readonly NamedPort[] }>): string {
  return [...found]
    .map(({ pod, ports }) => JSON.stringify([pod.namespace, pod.name, pod.node, pod.ips, ports]))
    .sort()
    .join();
}

function numbersText(holders: Iterable<PodFact>, name: string): string {
  return [...holders]
    .flatMap(({ node, ports }) =>
      ports
        .filter((port) => port.name === name)
        .map(({ protocol, port }) => `${node ?? ""} ${protocol} ${port}`),
    )
    .sort()
    .join();
}

/** Only where there is a number. */
function numbersOf(holders: (address: IpAddress) => Iterable<PodFact>): Map<string, string> {
  const places = portNames.flatMap((name) => addresses.map((address) => ({ name, address })));
  return new Map(
    places
      .map(({ name, address }) => [`${name} ${address}`, numbersText(holders(address), name)] as const)
      .filter(([, text]) => text !== ""),
  );
}

function read(groups: FedGroups, key: GroupKey): Answers {
  return {
    addresses: new Set(groups.addresses(key).keys()),
    pods: new Map([...groups.pods(key).keys()].map((pod) => [pod, groups.pod(pod).node])),
    ports: new Map(portNames.map((name) => [name, portsText(groups.namedPorts(key, name))])),
    numbers: numbersOf((address) => groups.holders(key, address)),
  };
}

/** Of what has addresses and is no pod. */
function ofAddresses(members: readonly (NodeFact | HostNameFact)[]): Answers {
  return {
    addresses: new Set(members.flatMap((fact) => fact.ips)),
    pods: new Map(),
    ports: new Map(portNames.map((name) => [name, ""])),
    numbers: new Map(),
  };
}

class Facts {
  readonly pods = new Map<PodKey, PodFact>();
  readonly namespaces = new Map<string, NamespaceFact>();
  readonly nodes = new Map<string, NodeFact>();
  readonly hosts = new Map<string, HostNameFact>();

  /** By definition. */
  answers(group: PeerGroup): Answers {
    if (group.kind === "nodes")
      return ofAddresses([...this.nodes.values()].filter((fact) => selects(group.nodes, fact.labels)));
    if (group.kind === "hostNames")
      return ofAddresses(
        [...this.hosts.values()].filter((fact) => selects(group.names, hostNameLabels(fact))),
      );
    const members = [...this.pods.values()].filter((fact) => {
      const home = this.namespaces.get(fact.namespace);
      if (home === undefined || !isOnPodNetwork(fact)) return false;
      return selects(group.namespaces, namespaceLabels(home)) && selects(group.pods, podLabels(fact));
    });
    const declaring = (name: string) =>
      members
        .map((pod) => ({ pod, ports: pod.ports.filter((port) => port.name === name) }))
        .filter((found) => found.ports.length > 0);
    return {
      addresses: new Set(members.flatMap((fact) => fact.ips)),
      pods: new Map(members.map((fact) => [podKey(fact.namespace, fact.name), fact.node])),
      ports: new Map(portNames.map((name) => [name, portsText(declaring(name))])),
      numbers: numbersOf((address) => members.filter((fact) => fact.ips.includes(address))),
    };
  }

  feed(groups: FedGroups): void {
    for (const fact of this.pods.values()) groups.setPod(fact);
    for (const fact of this.nodes.values()) groups.setNode(fact);
    for (const fact of this.namespaces.values()) groups.setNamespace(fact);
    for (const fact of this.hosts.values()) groups.setHostName(fact);
  }
}

/** Runs changes and keeps a copy of every retained group by re-reading what drained edges name, and nothing else. */
class Run {
  readonly groups = new FedGroups();
  readonly facts = new Facts();
  readonly pool: readonly PeerGroup[];
  readonly retains = new Map<number, number>();
  readonly copies = new Map<GroupKey, Answers>();

  constructor(pool: readonly PeerGroup[]) {
    this.pool = pool;
  }

  retained(): PeerGroup[] {
    return [...this.retains.keys()].map((index) => this.pool[index]!);
  }

  apply(change: Change): void {
    switch (change.do) {
      case "pod":
        this.#setPod(change.fact);
        return;
      case "edit": {
        const fact = this.facts.pods.get(change.pod);
        if (fact !== undefined) this.#setPod({ ...fact, ...change.patch });
        return;
      }
      case "namespace":
        this.facts.namespaces.set(change.fact.name, change.fact);
        this.#twice(() => {
          this.groups.setNamespace({ ...change.fact, labels: new Map(change.fact.labels) });
        });
        return;
      case "node":
        this.facts.nodes.set(change.fact.name, change.fact);
        this.#twice(() => {
          this.groups.setNode({ ...change.fact, ips: [...change.fact.ips] });
        });
        return;
      case "deletePod":
        this.facts.pods.delete(change.pod);
        this.#twice(() => {
          this.groups.deletePod(change.pod);
        });
        return;
      case "deleteNamespace":
        this.facts.namespaces.delete(change.name);
        this.#twice(() => {
          this.groups.deleteNamespace(change.name);
        });
        return;
      case "deleteNode":
        this.facts.nodes.delete(change.name);
        this.#twice(() => {
          this.groups.deleteNode(change.name);
        });
        return;
      case "host":
        this.facts.hosts.set(change.fact.name, change.fact);
        this.#twice(() => {
          this.groups.setHostName({ ...change.fact, ips: [...change.fact.ips] });
        });
        return;
      case "deleteHost":
        this.facts.hosts.delete(change.name);
        this.#twice(() => {
          this.groups.deleteHostName(change.name);
        });
        return;
      case "retain":
        this.#retain(change.group % this.pool.length);
        return;
      case "release":
        this.#release(change.group % this.pool.length);
        return;
      case "drain":
        this.#absorb(this.groups.drain());
        return;
    }
  }

  check(): void {
    this.#absorb(this.groups.drain());
    expect(this.groups.drain().size).toBe(0);
    const fresh = new FedGroups();
    for (const group of this.retained()) fresh.retain(group);
    this.facts.feed(fresh);
    for (const group of this.retained()) {
      const key = groupKey(group);
      const truth = this.facts.answers(group);
      expect(read(this.groups, key)).toEqual(truth);
      expect(read(fresh, key)).toEqual(truth);
      expect(this.copies.get(key)).toEqual(truth);
      this.#checkViews(key, truth);
    }
    expect(() =>
      this.groups.addresses(groupKey({ kind: "nodes", nodes: negated(negated(allOf([]))) })),
    ).toThrow();
  }

  #checkViews(key: GroupKey, truth: Answers): void {
    const held = this.groups.addresses(key);
    expect([...held.keys()]).toHaveLength(truth.addresses.size);
    expect(held.size).toBe(truth.addresses.size);
    for (const address of addresses) expect(held.has(address)).toBe(truth.addresses.has(address));
    const members = this.groups.pods(key);
    expect([...members.keys()]).toHaveLength(truth.pods.size);
    expect(members.size).toBe(truth.pods.size);
    for (const pod of namespaces.flatMap((ns) => names.map((name) => podKey(ns, name)))) {
      expect(members.has(pod)).toBe(truth.pods.has(pod));
      expect([...this.groups.groupsOf(pod)].includes(key)).toBe(truth.pods.has(pod));
    }
  }

  #setPod(fact: PodFact): void {
    const key = podKey(fact.namespace, fact.name);
    this.facts.pods.set(key, fact);
    this.#twice(() => {
      this.groups.setPod({ ...fact, labels: new Map([...fact.labels].reverse()), ips: [...fact.ips] });
    });
    expect(this.groups.pod(key)).toEqual(fact);
  }

  /** The same change again causes no work. */
  #twice(tell: () => void): void {
    tell();
    const before = { ...this.groups.stats };
    tell();
    expect(this.groups.stats).toEqual(before);
  }

  #retain(index: number): void {
    const group = this.pool[index]!;
    const twin =
      [...this.retains.keys()].find((other) => groupKey(this.pool[other]!) === groupKey(group)) ?? index;
    this.retains.set(twin, (this.retains.get(twin) ?? 0) + 1);
    const key = this.groups.retain(group);
    if (!this.copies.has(key)) this.copies.set(key, read(this.groups, key));
  }

  #release(index: number): void {
    const group = this.pool[index]!;
    const twin = [...this.retains.keys()].find((other) => groupKey(this.pool[other]!) === groupKey(group));
    if (twin === undefined) {
      expect(() => {
        this.groups.release(group);
      }).toThrow();
      return;
    }
    this.groups.release(group);
    const left = this.retains.get(twin)! - 1;
    if (left > 0) {
      this.retains.set(twin, left);
      return;
    }
    this.retains.delete(twin);
    this.copies.delete(groupKey(group));
  }

  #absorbNumbers(key: GroupKey, name: string, address: IpAddress): void {
    const text = numbersText(this.groups.holders(key, address), name);
    const { numbers } = this.copies.get(key)!;
    if (text === "") numbers.delete(`${name} ${address}`);
    else numbers.set(`${name} ${address}`, text);
  }

  #absorb(edges: Edges): void {
    for (const [key, edge] of edges) {
      const copy = this.copies.get(key)!;
      const [held, members] = [this.groups.addresses(key), this.groups.pods(key)];
      for (const address of edge.addresses)
        if (held.has(address)) copy.addresses.add(address);
        else copy.addresses.delete(address);
      for (const pod of edge.pods)
        if (members.has(pod)) copy.pods.set(pod, this.groups.pod(pod).node);
        else copy.pods.delete(pod);
      for (const [name, at] of edge.namedPorts) {
        copy.ports.set(name, portsText(this.groups.namedPorts(key, name)));
        for (const address of at) this.#absorbNumbers(key, name, address);
      }
    }
  }
}

const path = fc.record({
  pool: fc.array(group, { minLength: 1, maxLength: 5 }),
  changes: fc.array(change, { maxLength: 60, size: "max" }),
});

describe("any path of changes", () => {
  test("ends where a fresh instance starts, and its edges miss nothing", () => {
    fc.assert(
      fc.property(path, ({ pool, changes }) => {
        const run = new Run(pool);
        for (const change of changes) {
          run.apply(change);
          if (change.do === "drain") run.check();
        }
        run.check();
      }),
      { numRuns: 400 },
    );
  });

  test("leaves nothing behind when everything is undone", () => {
    fc.assert(
      fc.property(path, ({ pool, changes }) => {
        const run = new Run(pool);
        for (const change of changes) run.apply(change);
        for (const pod of run.facts.pods.keys()) run.groups.deletePod(pod);
        for (const name of run.facts.namespaces.keys()) run.groups.deleteNamespace(name);
        for (const name of run.facts.nodes.keys()) run.groups.deleteNode(name);
        for (const name of run.facts.hosts.keys()) run.groups.deleteHostName(name);
        for (const group of run.retained()) {
          const key = groupKey(group);
          expect(run.groups.pods(key).size + run.groups.addresses(key).size).toBe(0);
        }
        for (const [index, count] of run.retains)
          for (let released = 0; released < count; released++) run.groups.release(pool[index]!);
        expect(run.groups.drain().size).toBe(0);
        // Nothing is left to evaluate: no label sets but that of the cluster, no selectors.
        const { selectorEvaluations } = run.groups.stats;
        for (const group of pool) if (group.kind === "pods") run.groups.retain(group);
        expect(run.groups.stats.selectorEvaluations).toBe(selectorEvaluations);
      }),
      { numRuns: 100 },
    );
  });
});
