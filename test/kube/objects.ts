// Kubernetes objects in few words, complete enough for an API server to take, with the status that a kubelet would give
// them. Refuses nothing: what is wrong with them the API server says.

import type { KubernetesObject } from "./api.ts";

type Labels = Readonly<Record<string, string>>;

export function namespace(name: string, labels: Labels = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

export interface NodeWords {
  readonly labels?: Labels;
  readonly ips: readonly string[];
  readonly podCidrs?: readonly string[];
}

export function node(name: string, { labels = {}, ips, podCidrs = [] }: NodeWords): KubernetesObject {
  const [podCIDR] = podCidrs;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: podCIDR === undefined ? {} : { podCIDR, podCIDRs: podCidrs },
    status: {
      addresses: [
        ...ips.map((address) => ({ type: "InternalIP", address })),
        { type: "Hostname", address: name },
      ],
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
}

export interface PodWords {
  readonly labels?: Labels;
  readonly node?: string;
  /** None: a pod that has no addresses yet. */
  readonly ips?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly port: number; readonly protocol?: string }[];
  readonly hostNetwork?: boolean;
  /** The name of its service account; none: the API server's choice. */
  readonly account?: string;
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed";
}

export function pod(inNamespace: string, name: string, words: PodWords = {}): KubernetesObject {
  const { labels = {}, ips = [], ports = [], hostNetwork = false, account } = words;
  const [podIP] = ips;
  const container = {
    name: "main",
    image: "none",
    ports: ports.map(({ name, port, protocol = "TCP" }) => ({ name, protocol, containerPort: port })),
  };
  const spec = {
    ...{ containers: [container], hostNetwork, terminationGracePeriodSeconds: 0 },
    ...(account === undefined ? {} : { serviceAccountName: account }),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: inNamespace, labels },
    spec: words.node === undefined ? spec : { ...spec, nodeName: words.node },
    status: {
      phase: words.phase ?? (podIP === undefined ? "Pending" : "Running"),
      ...(podIP === undefined ? {} : { podIP, podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [{ type: "Ready", status: podIP === undefined ? "False" : "True" }],
    },
  };
}

const policyApi = "policy.networking.k8s.io/v1alpha1";

export function adminPolicy(name: string, spec: unknown): KubernetesObject {
  return { apiVersion: policyApi, kind: "AdminNetworkPolicy", metadata: { name }, spec };
}

export function baselinePolicy(spec: unknown, name = "default"): KubernetesObject {
  return { apiVersion: policyApi, kind: "BaselineAdminNetworkPolicy", metadata: { name }, spec };
}

export function clusterPolicy(name: string, spec: unknown): KubernetesObject {
  const apiVersion = "policy.networking.k8s.io/v1alpha2";
  return { apiVersion, kind: "ClusterNetworkPolicy", metadata: { name }, spec };
}
