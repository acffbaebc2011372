// The rows that OVN-Kubernetes has for NetworkPolicies, as ovn-nbctl is told to make them: a group with its allows for each
// policy, and one with default deny for each isolated direction of a namespace. Written by hand, with nothing of src/nbdb
// or src/groups, so that no fault of theirs is in both.

import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { NamespaceFact, PodFact } from "../../src/model/facts.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Labels } from "../../src/model/labels.ts";
import type { Direction } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { portOf } from "../../tools/sandbox/topology.ts";
import type { LabelTable, NetworkPeer, NetworkPolicy, NetworkRule } from "./network-policies.ts";

export interface Surroundings {
  readonly namespaces: ReadonlyMap<string, NamespaceFact>;
  readonly pods: readonly PodFact[];
  /** Only the pods of this node have ports; null: all have. */
  readonly zone: string | null;
}

/** What ovn-nbctl is told, as one transaction, and the names of the rows that have one. */
export interface ForeignRows {
  readonly commands: readonly string[];
  readonly groups: readonly string[];
  readonly sets: readonly string[];
}

/** A key of external_ids that every row has beside its owner's. */
export const mark = "proof-neighbour";

/** The rows of all policies: a group for each and one for each isolated direction of a namespace. */
export function rowsOf(policies: readonly NetworkPolicy[], around: Surroundings): ForeignRows {
  const draft = new Draft(around);
  for (const policy of policies) draft.policy(policy);
  for (const [namespace, ofNamespace] of Map.groupBy(policies, (policy) => policy.namespace)) {
    for (const direction of directions) draft.isolation(namespace, direction, ofNamespace);
  }
  return draft.rows();
}

const sides = {
  ingress: { id: "Ingress", column: "to-lport", port: "outport", peer: "src", options: [] },
  egress: {
    id: "Egress",
    column: "from-lport",
    port: "inport",
    peer: "dst",
    options: ["options:apply-after-lb=true"],
  },
} as const;

interface AclDraft {
  readonly direction: Direction;
  readonly owner: string;
  readonly name: string;
  readonly id: string;
  readonly priority: number;
  readonly match: string;
  readonly action: "allow" | "allow-related" | "drop";
}

class Draft {
  readonly #around: Surroundings;
  readonly #commands: string[] = [];
  readonly #groups: string[] = [];
  readonly #sets: string[] = [];
  #acls = 0;
  readonly #fetched = new Map<string, string>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  policy({ namespace, name, pods, rules }: NetworkPolicy): void {
    const group = `np${this.#groups.length}`;
    const acls = directions.flatMap((direction) =>
      (rules[direction] ?? []).map((rule, index) =>
        this.#acl({
          direction,
          owner: "NetworkPolicy",
          name: `${namespace}:${name}`,
          id: `${namespace}:${name}:${sides[direction].id}:${index}`,
          priority: 1001,
          match: this.#ruleMatch(`${group}_${direction}_${index}`, direction, rule, group),
          action: "allow-related",
        }),
      ),
    );
    this.#group(group, "NetworkPolicy", `${namespace}:${name}`, this.#members(namespace, [pods]), acls);
  }

  /** Default deny, and neighbour discovery in spite of it. */
  isolation(namespace: string, direction: Direction, policies: readonly NetworkPolicy[]): void {
    const group = `np${this.#groups.length}`;
    const { id, port } = sides[direction];
    const shared = { direction, owner: "NetpolNamespace", name: namespace };
    const isolating = policies.filter(({ rules }) => rules[direction] !== undefined);
    const acls = [
      this.#acl({
        ...shared,
        id: `${namespace}:${id}:defaultDeny`,
        priority: 1000,
        match: `${port} == @${group}`,
        action: "drop",
      }),
      this.#acl({
        ...shared,
        id: `${namespace}:${id}:arpAllow`,
        priority: 1001,
        match: `${port} == @${group} && (arp || nd)`,
        action: "allow",
      }),
    ];
    const members = this.#members(
      namespace,
      isolating.map(({ pods }) => pods),
    );
    this.#group(group, "NetpolNamespace", namespace, members, acls);
  }

  rows(): ForeignRows {
    const gets = [...this.#fetched].flatMap(([port, id]) => [
      "--",
      `--id=@${id}`,
      "get",
      "Logical_Switch_Port",
      port,
    ]);
    return { commands: [...gets, ...this.#commands], groups: this.#groups, sets: this.#sets };
  }

  #members(namespace: string, anyOf: readonly LabelTable[]): readonly PodFact[] {
    const { zone } = this.#around;
    return this.#visible().filter(
      (pod) =>
        pod.namespace === namespace &&
        (zone === null || pod.node === zone) &&
        anyOf.some((table) => has(pod.labels, table)),
    );
  }

  #visible(): readonly PodFact[] {
    const { pods, namespaces } = this.#around;
    return pods.filter((pod) => isOnPodNetwork(pod) && namespaces.has(pod.namespace));
  }

  #ruleMatch(set: string, direction: Direction, { peers, ports }: NetworkRule, group: string): string {
    const { peer: end, port } = sides[direction];
    const l3 = peers === null ? ["ip4", "ip6"] : this.#peerTerms(set, end, peers);
    const l4 = ports?.map(({ protocol, port: number }) => `${protocol}.dst == ${number}`) ?? [];
    const terms = [`(${l3.join(" || ")})`, ...(ports === null ? [] : [`(${l4.join(" || ")})`])];
    return [...terms, `${port} == @${group}`].join(" && ");
  }

  #peerTerms(set: string, end: "src" | "dst", peers: readonly NetworkPeer[]): readonly string[] {
    const selected = this.#visible().filter((pod) => peers.some((peer) => this.#isPeer(pod, peer)));
    const ofSets = (["v4", "v6"] as const).map((family) => {
      const addresses = selected.flatMap((pod) => pod.ips).filter((ip) => familyOf(ip) === family);
      this.#set(`${set}_${family}`, [...new Set(addresses)]);
      return `ip${family.slice(1)}.${end} == $${set}_${family}`;
    });
    const ofNetworks = peers.flatMap((peer) =>
      "cidr" in peer ? [`ip${peer.cidr.includes(":") ? 6 : 4}.${end} == ${peer.cidr}`] : [],
    );
    return [...ofSets, ...ofNetworks];
  }

  #isPeer(pod: PodFact, peer: NetworkPeer): boolean {
    const namespace = this.#around.namespaces.get(pod.namespace);
    if ("cidr" in peer || namespace === undefined) return false;
    return has(namespace.labels, peer.namespaces) && has(pod.labels, peer.pods);
  }

  #set(name: string, addresses: readonly string[]): void {
    this.#sets.push(name);
    const list = addresses.map((address) => `"${address}"`).join(",");
    this.#create(
      "Address_Set",
      null,
      `name=${name}`,
      `addresses=[${list}]`,
      ...ids("PodSelector", name, name),
    );
  }

  #acl({ direction, owner, name, id, priority, match, action }: AclDraft): string {
    const row = `acl${this.#acls++}`;
    const { column, options, id: side } = sides[direction];
    this.#create(
      "ACL",
      row,
      ...[`direction=${column}`, "tier=2", `priority=${priority}`, `match=${JSON.stringify(match)}`],
      ...[`action=${action}`, "meter=acl-logging", ...options, ...ids(owner, name, id)],
      `external_ids:direction=${side}`,
    );
    return row;
  }

  #group(
    name: string,
    owner: string,
    ownerName: string,
    members: readonly PodFact[],
    acls: readonly string[],
  ): void {
    this.#groups.push(name);
    const ports = members.map((pod) => `@${this.#port(portOf(pod))}`).join(",");
    this.#create(
      "Port_Group",
      null,
      ...[`name=${name}`, `ports=[${ports}]`, `acls=[${acls.map((acl) => `@${acl}`).join(",")}]`],
      ...ids(owner, ownerName, ownerName),
    );
  }

  #port(name: string): string {
    const id = this.#fetched.get(name) ?? `port${this.#fetched.size}`;
    this.#fetched.set(name, id);
    return id;
  }

  #create(table: string, id: string | null, ...columns: readonly string[]): void {
    this.#commands.push("--", ...(id === null ? [] : [`--id=@${id}`]), "create", table, ...columns);
    this.#commands.push(`external_ids:${mark}=true`);
  }
}

/** The same owner-controller as the admin policies' rows have: only the type tells whose a row is. */
function ids(owner: string, name: string, id: string): readonly string[] {
  const controller = "default-network-controller";
  return Object.entries({
    "k8s.ovn.org/id": `${controller}:${owner}:${id}`,
    "k8s.ovn.org/name": name,
    "k8s.ovn.org/owner-controller": controller,
    "k8s.ovn.org/owner-type": owner,
  }).map(([key, value]) => `external_ids:${JSON.stringify(key)}=${JSON.stringify(value)}`);
}

function has(labels: Labels, table: LabelTable): boolean {
  return Object.entries(table).every(([key, value]) => labels.get(key) === value);
}
