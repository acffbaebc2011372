// The program's knowledge of the cluster: slim, readonly, already checked. Parsed in src/informers, trusted by all
// other code.

import type { Cidr, IpAddress, IpFamily } from "./ip.ts";
import type { Labels } from "./labels.ts";

/** What an object's ownerReferences name, in the object's own namespace. */
export interface Owner {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** "<namespace>/<name>". */
export type PodKey = `${string}/${string}`;

/** The L4 protocols that OVN's match language and the policy APIs share, in lower case as OVN writes them. */
export type Protocol = "tcp" | "udp" | "sctp";

/** One entry of spec.containers[].ports[] that has a name. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  /** containerPort, 1..65535. */
  readonly port: number;
}

export interface PodFact {
  readonly kind: "Pod";
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** spec.nodeName; null while unscheduled. */
  readonly node: string | null;
  /** spec.serviceAccountName; `default` where the pod names none. */
  readonly serviceAccount: string;
  readonly hostNetwork: boolean;
  /** Phase Succeeded or Failed: its address may belong to another pod already. */
  readonly completed: boolean;
  /** status.podIPs, in order. */
  readonly ips: readonly IpAddress[];
  /** Named container ports, in the order of the spec. */
  readonly ports: readonly NamedPort[];
  /** Whether it mounts a service account's token. Absent: not read, as in the controller. */
  readonly mountsToken?: boolean;
  /** The object that has made it. Absent: nothing has, or it was not read, as in the controller. */
  readonly owner?: Owner;
  /** True: it is the template of a workload, whose pods have addresses and nodes that are not known. */
  readonly isTemplate?: true;
}

export interface NamespaceFact {
  readonly kind: "Namespace";
  readonly name: string;
  readonly labels: Labels;
  /** The annotation k8s.ovn.org/acl-logging, as it is written; absent: there is none. */
  readonly logging?: string;
  /** True: the Namespace was not read. Other objects prove that it exists; it may have any labels beside these. */
  readonly isUnread?: true;
}

export interface NodeFact {
  readonly kind: "Node";
  readonly name: string;
  readonly labels: Labels;
  /** Annotation k8s.ovn.org/host-cidrs without masks when present, otherwise status.addresses that are IPs. */
  readonly ips: readonly IpAddress[];
  /**
   * The source addresses of the node's own packets to its pods: the second address of each network of the annotation
   * k8s.ovn.org/node-subnets, which OVN-Kubernetes gives to the node's management port. Absent: there is no such annotation.
   */
  readonly managementIps?: readonly IpAddress[];
  /** Families of spec.podCIDRs, v4 first: the families that pods on this node can have. */
  readonly podFamilies: readonly IpFamily[];
  /** spec.podCIDRs: the networks of pods on this node. Absent: there are none. */
  readonly podNetworks?: readonly Cidr[];
}

/** What DNS answered for a host name, as a source recorded it. No Kubernetes object has it. */
export interface HostNameFact {
  readonly kind: "HostName";
  /** In lower case, without the final dot (host-names.ts). */
  readonly name: string;
  /** In the order of the answer. Empty: it was answered that the name has none. */
  readonly ips: readonly IpAddress[];
}

/** Its own, and those by which its pods know it. */
export function addressesOfNode({ ips, managementIps = [] }: NodeFact): readonly IpAddress[] {
  return [...ips, ...managementIps];
}

/**
 * Which addresses a node has: those of its Node; or with `flannel` also the first two of its pod networks, which flannel gives to
 * the node's own interfaces: other nodes see packets of the node from there.
 */
export const nodeAddresses = ["status", "flannel"] as const;
export type NodeAddresses = (typeof nodeAddresses)[number];

export function podKey(namespace: string, name: string): PodKey {
  return `${namespace}/${name}`;
}

/**
 * Whether policies apply to the pod: scheduled, on the pod network and not completed. Neither subjects nor peers select
 * host-network pods (API text of AdminNetworkPolicySubject and of the namespaces and pods peers).
 */
export function isOnPodNetwork(pod: PodFact): boolean {
  return pod.node !== null && !pod.hostNetwork && !pod.completed;
}
