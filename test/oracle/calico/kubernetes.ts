// Kubernetes' own policies as Calico takes them: NetworkPolicies are policies of tier default at order 1000 that only allow;
// ClusterNetworkPolicies are those of the tiers kube-admin and kube-baseline, in the order of their priorities. They select pods only.

import { isWithin } from "./addresses.ts";
import type { CalicoConnection, Direction } from "./connection.ts";
import type { Endpoint, Endpoints } from "./endpoints.ts";
import { has, protocolNumbers } from "./endpoints.ts";
import type {
  ClusterPeer,
  ClusterPolicy,
  ClusterProtocol,
  ClusterRule,
  KubernetesPolicy,
  LabelSelector,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicyRule,
} from "./manifests.ts";
import type { WalkedPolicy, WalkedRule } from "./policies.ts";
import type { LabelTable } from "./selector.ts";

const orderOfNetworkPolicies = 1000;

export function kubernetesPolicy({ metadata, spec }: KubernetesPolicy, endpoints: Endpoints): WalkedPolicy {
  const { name, namespace = "default" } = metadata;
  const { podSelector = {}, ingress = [], egress = [] } = spec;
  const types = spec.policyTypes ?? (egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"]);
  const rulesOf = (direction: Direction, rules: readonly NetworkPolicyRule[]) =>
    rules.map((rule): WalkedRule => ({
      action: "Allow",
      matches: (connection) => allows(rule, connection, { direction, namespace, endpoints }),
    }));
  return {
    ...{ group: "networking.k8s.io", kind: "NetworkPolicy", namespace, name },
    ...{
      tier: "default",
      order: orderOfNetworkPolicies,
      tie: `${name}/${namespace}/KubernetesNetworkPolicy`,
    },
    selects: (pod, direction) =>
      types.includes(direction === "ingress" ? "Ingress" : "Egress") &&
      pod.namespace === namespace &&
      selects(podSelector, pod.plainLabels),
    rules: { ingress: rulesOf("ingress", ingress), egress: rulesOf("egress", egress) },
  };
}

interface Where {
  readonly direction: Direction;
  readonly namespace: string;
  readonly endpoints: Endpoints;
}

function allows(
  { from, to, ports = [] }: NetworkPolicyRule,
  connection: CalicoConnection,
  { direction, namespace, endpoints }: Where,
): boolean {
  const peers = (direction === "ingress" ? from : to) ?? [];
  const ip = peerOf(connection, direction);
  const isPeer = (peer: NetworkPolicyPeer) => isNetworkPeer(peer, ip, namespace, endpoints);
  const isPort = (port: NetworkPolicyPort) => isNetworkPort(port, connection, endpoints);
  return (peers.length === 0 || peers.some(isPeer)) && (ports.length === 0 || ports.some(isPort));
}

function peerOf({ from, to }: CalicoConnection, direction: Direction): string {
  return (direction === "ingress" ? from : to).ip;
}

function isNetworkPeer(
  { ipBlock, podSelector, namespaceSelector }: NetworkPolicyPeer,
  ip: string,
  namespace: string,
  endpoints: Endpoints,
): boolean {
  if (ipBlock !== undefined)
    return isWithin(ip, ipBlock.cidr) && !(ipBlock.except ?? []).some((net) => isWithin(ip, net));
  return isPodOf(ip, endpoints, (pod) => {
    const isThere =
      namespaceSelector === undefined
        ? pod.namespace === namespace
        : selects(namespaceSelector, pod.namespaceLabels);
    return isThere && selects(podSelector ?? {}, pod.plainLabels);
  });
}

function isNetworkPort(
  { protocol = "TCP", port, endPort }: NetworkPolicyPort,
  connection: CalicoConnection,
  endpoints: Endpoints,
): boolean {
  if (protocolNumbers[protocol] !== connection.protocol || connection.port === null) return false;
  if (port === undefined) return true;
  if (typeof port === "string") return isNamed(port, connection, endpoints);
  return port <= connection.port && connection.port <= (endPort ?? port);
}

/** The name of a container port of the destination. */
function isNamed(name: string, { to, port, protocol }: CalicoConnection, endpoints: Endpoints): boolean {
  return isPodOf(to.ip, endpoints, ({ ports }) =>
    ports.some((one) => one.name === name && one.port === port && one.protocol === protocol),
  );
}

function isPodOf(ip: string, endpoints: Endpoints, test: (pod: Endpoint) => boolean): boolean {
  return endpoints.all.some((endpoint) => endpoint.isPod && has(endpoint, ip) && test(endpoint));
}

export function clusterPolicy({ metadata, spec }: ClusterPolicy, endpoints: Endpoints): WalkedPolicy {
  const { name } = metadata;
  const rulesOf = (direction: Direction, rules: readonly ClusterRule[] = []) =>
    rules.map((rule): WalkedRule => ({
      action: rule.action === "Accept" ? "Allow" : rule.action,
      matches: (connection) => isClusterRule(rule, connection, direction, endpoints),
    }));
  return {
    ...{ group: "policy.networking.k8s.io", kind: "ClusterNetworkPolicy", namespace: null, name },
    tier: spec.tier === "Admin" ? "kube-admin" : "kube-baseline",
    order: spec.priority,
    tie: `${name}//KubernetesClusterNetworkPolicy`,
    // One without rules of a direction says nothing in it, and the tier goes on by itself.
    selects: (pod) => isClusterPod(spec.subject, pod),
    rules: { ingress: rulesOf("ingress", spec.ingress), egress: rulesOf("egress", spec.egress) },
  };
}

function isClusterRule(
  { from = [], to = [], protocols = [] }: ClusterRule,
  connection: CalicoConnection,
  direction: Direction,
  endpoints: Endpoints,
): boolean {
  const ip = peerOf(connection, direction);
  const isPeer = (peer: ClusterPeer) =>
    (peer.networks ?? []).some((net) => isWithin(ip, net)) ||
    isPodOf(ip, endpoints, (pod) => isClusterPod(peer, pod));
  const isOne = (protocol: ClusterProtocol) => isClusterProtocol(protocol, connection, endpoints);
  const peers = direction === "ingress" ? from : to;
  return peers.some(isPeer) && (protocols.length === 0 || protocols.some(isOne));
}

function isClusterPod({ namespaces, pods }: ClusterPeer, pod: Endpoint): boolean {
  if (namespaces !== undefined) return selects(namespaces, pod.namespaceLabels);
  if (pods === undefined) return false;
  const { namespaceSelector = {}, podSelector = {} } = pods;
  return selects(namespaceSelector, pod.namespaceLabels) && selects(podSelector, pod.plainLabels);
}

function isClusterProtocol(
  { destinationNamedPort, ...protocols }: ClusterProtocol,
  connection: CalicoConnection,
  endpoints: Endpoints,
): boolean {
  if (destinationNamedPort !== undefined) return isNamed(destinationNamedPort, connection, endpoints);
  const { port } = connection;
  return Object.entries(protocols).some(([name, { destinationPort }]) => {
    if (protocolNumbers[name.toUpperCase()] !== connection.protocol || port === null) return false;
    if (destinationPort === undefined) return true;
    const { number, range = { start: number ?? 0, end: number ?? 0 } } = destinationPort;
    return range.start <= port && port <= range.end;
  });
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: LabelTable): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels.get(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels.get(key);
      const isIn = value !== undefined && values.includes(value);
      const answers = {
        In: isIn,
        NotIn: !isIn,
        Exists: value !== undefined,
        DoesNotExist: value === undefined,
      };
      return answers[operator];
    })
  );
}
