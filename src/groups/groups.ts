// Which pods, nodes and host names are in which group, updated with every change. Follows the changes of a fact store, in their
// order; keeps no facts itself but reads them there. Answers as Membership and names where to read again; never says
// what changed. Invariant: after any sequence of changes every answer equals that of a fresh instance that follows the
// final facts.

import type { Edges, GroupEdges, Membership, SetView } from "../policy/contracts/membership.ts";
import type { IpAddress } from "../model/ip.ts";
import type { Labels } from "../model/labels.ts";
import type { HostNameFact, NamedPort, NodeFact, PodFact, PodKey } from "../model/facts.ts";
import { CountedSet } from "../lib/counted-set.ts";
import { everything } from "../model/selector.ts";
import { groupKey, type Group, type GroupKey, type HostNameGroup } from "../policy/ir.ts";
import { invariant, unreachable } from "../lib/invariant.ts";
import { LabelIndex } from "./label-index.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { FactChange, FactStore } from "../model/fact-store.ts";
import { hostNameKey, nameKey, serviceAccountKey } from "../model/selectable.ts";
import { noLabels } from "../model/labels.ts";
import { noWork, type Work } from "./work.ts";
import { Partitions } from "./partitions.ts";
import { PodsByNode } from "./pods-by-node.ts";
import { Population } from "./population.ts";

/** The single scope of all nodes, and of all host names. */
const cluster = "cluster";
const none: ReadonlySet<never> = new Set<never>();
const noNames: ReadonlyMap<string, ReadonlySet<never>> = new Map<string, ReadonlySet<never>>();

export class Groups implements Membership {
  readonly #work: Work = noWork();
  readonly #namespaceLabels = new LabelIndex(this.#work, nameKey);
  readonly #pods = new Population<PodKey>(this.#work, {
    scopes: this.#namespaceLabels,
    members: new LabelIndex(this.#work, serviceAccountKey),
  });
  readonly #nodes = new Population<string>(this.#work, {
    scopes: new LabelIndex(this.#work, null),
    members: new LabelIndex(this.#work, null),
  });
  readonly #hostNames = new Population<string>(this.#work, {
    scopes: new LabelIndex(this.#work, null),
    members: new LabelIndex(this.#work, hostNameKey),
  });
  readonly #facts: Pick<FactStore, "pods">;
  readonly #podsByNode: PodsByNode;
  readonly #retained = new CountedSet<GroupKey>();
  readonly #namesAsked = new Map<GroupKey, HostNameGroup>();

  /** The values that namespaces share; their edges are drained separately. */
  readonly partitions = new Partitions(this.#namespaceLabels);

  /** `facts`: the store whose changes it follows. */
  constructor(facts: Pick<FactStore, "pods">) {
    this.#facts = facts;
    this.#podsByNode = new PodsByNode(facts);
    this.#nodes.relabel(cluster, noLabels);
    this.#hostNames.relabel(cluster, noLabels);
  }

  /** The groups of host names that are retained. */
  get namesAsked(): ReadonlyMap<GroupKey, HostNameGroup> {
    return this.#namesAsked;
  }

  /** Work done so far. */
  get stats(): Readonly<Work> {
    return this.#work;
  }

  /** Applies a change of the store; call it once for every change, before the next question to the groups. */
  follow(change: FactChange): void {
    switch (change.kind) {
      case "Pod":
        this.#followPod(change.key, change.after);
        this.#podsByNode.follow(change);
        break;
      case "Namespace":
        this.#relabel(change.key, change.after?.labels ?? null);
        break;
      case "Node":
        this.#followNode(change.key, change.after);
        break;
      case "HostName":
        this.#followHostName(change.key, change.after);
        break;
      default:
        unreachable(change);
    }
  }

  /**
   * Keeps the group matched until it is released as often. Its first members give no edges: a caller that retains a
   * group again reads all of it. Retain what stays before releasing what is removed, or a group in both counts as new and
   * loses its pending edges.
   */
  retain(group: Group): GroupKey {
    const key = groupKey(group);
    if (!this.#retained.add(key)) return key;
    switch (group.kind) {
      case "pods":
        this.#pods.retain(key, group.namespaces, group.pods);
        break;
      case "nodes":
        this.#nodes.retain(key, everything, group.nodes);
        break;
      case "hostNames":
        this.#hostNames.retain(key, everything, group.names);
        this.#namesAsked.set(key, group);
        break;
      case "podsOfNode":
        this.#podsByNode.retain(key);
        break;
      default:
        unreachable(group);
    }
    return key;
  }

  /** The last release drops the group and its pending edges; one release too many throws. */
  release(group: Group): void {
    const key = groupKey(group);
    if (!this.#retained.remove(key)) return;
    this.#namesAsked.delete(key);
    const kept = {
      ...{ pods: this.#pods, nodes: this.#nodes, hostNames: this.#hostNames, podsOfNode: this.#podsByNode },
    };
    kept[group.kind].release(key);
  }

  /**
   * Where to read again since the last drain. A pod's key is an edge when it enters, leaves or changes its node; a
   * change of labels is not, because only `pod` shows them.
   */
  drain(): Edges {
    const edges = new Map<GroupKey, GroupEdges>();
    for (const [group, { addresses, members, portNames }] of this.#pods.drain())
      edges.set(group.key, { addresses, pods: members, namedPorts: portNames });
    for (const [group, { addresses }] of [...this.#nodes.drain(), ...this.#hostNames.drain()])
      if (addresses.size > 0) edges.set(group.key, { addresses, pods: none, namedPorts: noNames });
    for (const [group, pods] of this.#podsByNode.drain())
      edges.set(group, { addresses: none, pods, namedPorts: noNames });
    return edges;
  }

  addresses(group: GroupKey): SetView<IpAddress> {
    return retained(
      this.#pods.addresses(group) ?? this.#nodes.addresses(group) ?? this.#hostNames.addresses(group),
    );
  }

  pods(group: GroupKey): SetView<PodKey> {
    return this.#ofPods(group, this.#pods.members(group) ?? this.#podsByNode.of(group), none);
  }

  pod(key: PodKey): PodFact {
    const fact = this.#facts.pods.get(key);
    invariant(fact !== undefined, "asked for a pod that nobody knows");
    return fact;
  }

  /** In no particular order. */
  namedPorts(
    group: GroupKey,
    name: string,
  ): Iterable<{ readonly pod: PodFact; readonly ports: readonly NamedPort[] }> {
    const keys = this.#ofPods(group, this.#pods.declaring(group, name), new Set<PodKey>().values());
    return keys.map((key) => {
      const pod = this.pod(key);
      return { pod, ports: pod.ports.filter((port) => port.name === name) };
    });
  }

  holders(group: GroupKey, address: IpAddress): Iterable<PodFact> {
    const keys = this.#ofPods(group, this.#pods.holders(group, address), new Set<PodKey>().values());
    return keys.map((key) => this.pod(key));
  }

  *groupsOf(pod: PodKey): Generator<GroupKey, void> {
    yield* this.#pods.groupsOf(pod);
    yield* this.#podsByNode.groupsOf(pod);
  }

  /** A pod off the pod network is in no group, and neither is one whose namespace is unknown. */
  #followPod(key: PodKey, fact: PodFact | null): void {
    if (fact === null || !isOnPodNetwork(fact)) {
      this.#pods.remove(key);
      return;
    }
    const { namespace: scope, labels, serviceAccount: name, node: home, ips, ports } = fact;
    this.#pods.place(key, { scope, labels, name, home, ips, ports });
  }

  /** Null labels: the namespace was removed. Its pods leave every group, and enter groups again when it returns. */
  #relabel(namespace: string, labels: Labels | null): void {
    this.#pods.relabel(namespace, labels);
    this.partitions.setNamespace(namespace, labels);
  }

  #followNode(name: string, fact: NodeFact | null): void {
    if (fact === null) this.#nodes.remove(name);
    else {
      const { labels, ips } = fact;
      this.#nodes.place(name, { scope: cluster, labels, name: "", home: null, ips, ports: [] });
    }
  }

  #followHostName(name: string, fact: HostNameFact | null): void {
    if (fact === null) this.#hostNames.remove(name);
    else {
      const { ips } = fact;
      this.#hostNames.place(name, { scope: cluster, labels: noLabels, name, home: null, ips, ports: [] });
    }
  }

  /** The pods' answer, or the empty one for a group of nodes or host names. */
  #ofPods<T>(group: GroupKey, answer: T | undefined, empty: T): T {
    const isOfOthers = this.#nodes.retains(group) || this.#hostNames.retains(group);
    return retained(answer ?? (isOfOthers ? empty : undefined));
  }
}

function retained<T>(answer: T | undefined): T {
  invariant(answer !== undefined, "asked for a group that nobody retains");
  return answer;
}
