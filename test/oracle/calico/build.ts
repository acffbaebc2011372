// Manifests in few words for the cases of the judge, the small cluster in which they are judged, and connections as text.

import { familyOfText } from "./addresses.ts";
import type { CalicoConnection, CalicoEnd } from "./connection.ts";
import { protocolNumbers } from "./endpoints.ts";
import type {
  CalicoPolicy,
  CalicoRule,
  CalicoSpec,
  ClusterPolicy,
  ClusterPolicySpec,
  EndpointSlice,
  KubernetesPolicy,
  Manifest,
  NetworkPolicySpec,
  NetworkSet,
  Pod,
  Tier,
  TierSpec,
} from "./manifests.ts";

type Labels = Readonly<Record<string, string>>;

const apiVersion = "projectcalico.org/v3" as const;

export function gnp(name: string, spec: CalicoSpec): CalicoPolicy {
  return { apiVersion, kind: "GlobalNetworkPolicy", metadata: { name }, spec };
}

export function calicoNp(name: string, spec: CalicoSpec, namespace = "shop"): CalicoPolicy {
  return { apiVersion, kind: "NetworkPolicy", metadata: { name, namespace }, spec };
}

export function tier(name: string, spec: TierSpec = {}): Tier {
  return { apiVersion, kind: "Tier", metadata: { name }, spec };
}

export function globalSet(name: string, labels: Labels, nets: readonly string[]): NetworkSet {
  return { apiVersion, kind: "GlobalNetworkSet", metadata: { name, labels }, spec: { nets } };
}

export function networkSet(
  name: string,
  labels: Labels,
  nets: readonly string[],
  namespace = "shop",
): NetworkSet {
  return { apiVersion, kind: "NetworkSet", metadata: { name, namespace, labels }, spec: { nets } };
}

export function knp(name: string, spec: NetworkPolicySpec, namespace = "shop"): KubernetesPolicy {
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name, namespace }, spec };
}

export function clusterNp(name: string, spec: ClusterPolicySpec): ClusterPolicy {
  return {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha2", kind: "ClusterNetworkPolicy" },
    ...{ metadata: { name }, spec },
  };
}

export function space(name: string, labels: Labels = {}): Manifest {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

export function account(namespace: string, name: string, labels: Labels = {}): Manifest {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name, labels } };
}

export function slice(
  service: string,
  name: string,
  { addresses, ports, namespace = "shop" }: SliceShape,
): EndpointSlice {
  const labels = { "kubernetes.io/service-name": service };
  return {
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { namespace, name, labels } },
    addressType: addresses.some((one) => one.includes(":")) ? "IPv6" : "IPv4",
    // One endpoint in two is not ready.
    endpoints: addresses.map((one, at) => ({ addresses: [one], conditions: { ready: at % 2 === 0 } })),
    ports: ports.map(([protocol, port]) => ({ name: `${protocol}-${port}`.toLowerCase(), protocol, port })),
  };
}

interface SliceShape {
  readonly addresses: readonly string[];
  readonly ports: readonly (readonly [protocol: string, port: number])[];
  readonly namespace?: string;
}

interface PodShape {
  readonly labels: Labels;
  readonly ips: readonly string[];
  readonly account?: string;
  readonly ports?: readonly (readonly [name: string, protocol: string, containerPort: number])[];
  readonly spec?: Pod["spec"];
  readonly phase?: string;
}

export function podOf(namespace: string, name: string, shape: PodShape): Pod {
  const {
    labels,
    ips,
    account: serviceAccountName = "default",
    ports = [],
    spec = {},
    phase = "Running",
  } = shape;
  const listed = ports.map(([portName, protocol, containerPort]) => ({
    name: portName,
    protocol,
    containerPort,
  }));
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name, labels } },
    spec: { nodeName: "node-1", serviceAccountName, containers: [{ name: "c", ports: listed }], ...spec },
    status: { phase, podIPs: ips.map((ip) => ({ ip })) },
  };
}

/** Two namespaces and one without labels, four pods, and networks that are known by labels. */
export const cluster: readonly Manifest[] = [
  space("shop", { team: "a", stage: "live" }),
  space("lab", { team: "b" }),
  space("bare"),
  account("shop", "runner", { trust: "high" }),
  account("shop", "default"),
  account("lab", "runner", { trust: "low" }),
  podOf("shop", "web", {
    ...{ labels: { app: "web", size: "xl" }, ips: ["10.0.0.1", "fd00::1"], account: "runner" },
    ports: [
      ["http", "TCP", 80],
      ["dns", "UDP", 53],
    ],
  }),
  podOf("shop", "db", {
    ...{ labels: { app: "db" }, ips: ["10.0.0.2", "fd00::2"] },
    ports: [
      ["http", "TCP", 8080],
      ["out", "TCP", 30000],
    ],
  }),
  podOf("lab", "web", { labels: { app: "web" }, ips: ["10.0.1.1", "fd00:0:0:1::1"], account: "runner" }),
  podOf("bare", "it", { labels: {}, ips: ["10.0.2.1", "fd00:0:0:2::1"] }),
  podOf("shop", "host", { labels: { app: "host" }, ips: ["172.18.0.1"], spec: { hostNetwork: true } }),
  podOf("shop", "done", { labels: { app: "done" }, ips: ["10.0.9.9"], phase: "Succeeded" }),
  globalSet("offices", { kind: "office" }, [
    "203.0.113.0/24",
    "2001:db8::/32",
    "198.51.100.7",
    "100.64.0.9/30",
  ]),
  networkSet("partners", { kind: "partner" }, ["192.0.2.0/28"]),
  networkSet("partners", { kind: "partner" }, ["192.0.2.16/28"], "lab"),
];

export const allow: CalicoRule = { action: "Allow" };
export const deny: CalicoRule = { action: "Deny" };

/** About what comes to every pod. */
export const to = (name: string, spec: CalicoSpec): CalicoPolicy =>
  gnp(name, { types: ["Ingress"], ...spec });
export const asked = "bare/it -> shop/db tcp 80";
export const verdict = (expected: string) => ({ [asked]: expected });
export const by = (name: string, index: number) => `by GlobalNetworkPolicy/${name} ingress ${index}`;

export const everyPod = { namespaces: {} };

/** One ingress rule that allows to shop/db, in a policy whose tier denies everything else. */
export const lets = (rule: Omit<CalicoRule, "action">): Manifest =>
  gnp("g", { selector: "app == 'db'", ingress: [{ action: "Allow", ...rule }] });

/** The same in a policy of namespace shop. */
export const letsHere = (rule: Omit<CalicoRule, "action">): Manifest =>
  calicoNp("n", { selector: "app == 'db'", ingress: [{ action: "Allow", ...rule }] });

/** One egress rule that allows from shop/db. */
export const letsOut = (rule: Omit<CalicoRule, "action">): Manifest =>
  gnp("g", { selector: "app == 'db'", egress: [{ action: "Allow", ...rule }] });

const shape =
  /^(?<from>\S+) -> (?<to>\S+) (?:(?<name>tcp|udp|sctp) (?<port>\d+)(?: from (?<source>\d+))?|icmp (?<type>\d+)\/(?<code>\d+)|proto (?<number>\d+))(?<six> v6)?$/;

/** "lab/web -> shop/db tcp 80 from 30000", "… icmp 8/0", "… proto 47"; with " v6" at the end between pods of that family. */
export function connectionOf(text: string, manifests: readonly Manifest[]): CalicoConnection {
  const found = shape.exec(text)?.groups;
  if (found === undefined) throw new Error(`not a connection: ${text}`);
  const { from = "", to = "", six } = found;
  const family = six === undefined && familyOfText(from) === 4 && familyOfText(to) === 4 ? 4 : 6;
  return {
    ...{ from: endOf(from, family, manifests), to: endOf(to, family, manifests) },
    ...trafficOf(found, family),
  };
}

function trafficOf(
  { name, port, source = "40000", type, code, number }: Readonly<Record<string, string | undefined>>,
  family: 4 | 6,
): Pick<CalicoConnection, "protocol" | "port" | "sourcePort" | "icmp"> {
  const none = { port: null, sourcePort: null, icmp: null };
  if (type !== undefined)
    return { ...none, protocol: family === 4 ? 1 : 58, icmp: { type: Number(type), code: Number(code) } };
  if (name === undefined) return { ...none, protocol: Number(number) };
  const protocol = protocolNumbers[name.toUpperCase()] ?? 0;
  return { ...none, protocol, port: Number(port), sourcePort: Number(source) };
}

function endOf(text: string, family: 4 | 6, manifests: readonly Manifest[]): CalicoEnd {
  const [namespace = "", name] = text.split("/");
  if (name === undefined) return { ip: text, pod: null };
  const pod = manifests.find(
    (one): one is Pod =>
      one.kind === "Pod" && one.metadata.namespace === namespace && one.metadata.name === name,
  );
  const ip = pod?.status.podIPs?.find((one) => familyOfText(one.ip) === family)?.ip;
  if (ip === undefined) throw new Error(`${text} has no address of family ${family}`);
  return { ip, pod: { namespace, name } };
}

/** A sentence of Calico's documentation or code, what is there, and what becomes of connections. */
export interface Case {
  readonly says: string;
  readonly manifests: readonly Manifest[];
  /** "allow" or "deny", and who decided: "deny by GlobalNetworkPolicy/g ingress 0", or "deny by the end of default". */
  readonly goes: Readonly<Record<string, string>>;
}
