// What each network plugin that `--cni` names answers where the policy APIs leave a connection open, and which kinds of policy it
// enforces, as its project documents it. Only data: every answer has the page that it is from, and what no page says is open.
// Defaults of the plugins are meant. docs/cni.md has the same table, which a test holds against this file.

import type { KindText } from "../model/object.ts";

/** The value of `--cni` for clusters whose rows Northgate writes. */
export const ovnCni = "ovn";

/** The key under which the flags of a command say the plugin. Absent: `ovn`. */
export const cniFlag = "cni";

/** What a connection gets: what the policies say, or this whatever they say. Several: which of them is open. */
export type Outcome = "policies" | "allow" | "deny";

/** A page of the project's own documentation, and what it says in a few words, without a full stop. */
interface Documented {
  readonly source: string;
  readonly says: string;
}

/** About connections. */
export interface Answer extends Documented {
  readonly outcomes: readonly [Outcome, ...Outcome[]];
}

/** Whether the network of a rule is about pods, by their addresses. */
export interface NetworkAnswer extends Documented {
  readonly matches: "yes" | "no" | "open";
}

/** Of pods on their node's network, as ends of a connection: the node alone, or, where it is open, the node or the pod. */
export interface HostPodAnswer extends Documented {
  readonly are: "node" | "open";
}

/** Of `endPort` of a NetworkPolicy: whether its rule is about the whole range, or it is open whether it is about the first port alone. */
export interface RangeAnswer extends Documented {
  readonly covers: "range" | "open";
}

export interface Cni {
  readonly name: string;
  /** As a sentence names it. */
  readonly title: string;
  /** The kinds of policy that it enforces. */
  readonly kinds: readonly KindText[];
  /** Of kinds that are in force in some of its clusters only: a sentence without a full stop. */
  readonly conditions: readonly { readonly kinds: readonly KindText[]; readonly text: string }[];
  /** The policy model that has its own kinds; null: the first one. */
  readonly model: string | null;
  readonly nodeToOwnPods: Answer;
  readonly podToOwnNode: Answer;
  /** Of what policies of Kubernetes' APIs apply to: every IP protocol but TCP, UDP and SCTP. */
  readonly icmp: Answer;
  /** The same of SCTP. */
  readonly sctp: Answer;
  /** A pod to itself, by its own address. */
  readonly toItself: Answer;
  /** A pod to itself, through a Service, where a policy selects the pod. */
  readonly throughService: Answer;
  readonly podsInNetworks: NetworkAnswer;
  readonly nodesInNetworks: Omit<NetworkAnswer, "matches"> & { readonly matches: "yes" | "no" };
  readonly hostPods: HostPodAnswer;
  readonly portRanges: RangeAnswer;
}

const kubernetes = "https://kubernetes.io/docs/concepts/services-networking/network-policies/";
const antrea = "https://antrea.io/docs/main/docs";
const calico = "https://docs.tigera.io/calico/latest";
const ciliumLayers = "https://docs.cilium.io/en/latest/security/policy";

const networkPolicy = "NetworkPolicy.networking.k8s.io" as KindText;
const cluster = ["AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy"].map(
  (kind) => `${kind}.policy.networking.k8s.io` as KindText,
);
const [admin, baseline, clusterNetworkPolicy] = cluster as [KindText, KindText, KindText];

/** What Kubernetes says to all of its plugins. */
const ofApi = {
  nodeToOwnPods: {
    outcomes: ["allow"],
    source: kubernetes,
    says: "traffic from the node of a pod is always allowed",
  },
  podToOwnNode: {
    outcomes: ["policies", "allow"],
    source: kubernetes,
    says: "traffic to the node of a pod is always allowed, and pods are only promised that they cannot block what comes from it",
  },
  icmp: {
    outcomes: ["policies", "allow", "deny"],
    source: kubernetes,
    says: "for protocols but TCP, UDP and SCTP it is undefined what a policy does",
  },
  sctp: {
    outcomes: ["policies", "allow", "deny"],
    source: kubernetes,
    says: "a plugin may lack SCTP in policies",
  },
  toItself: { outcomes: ["allow"], source: kubernetes, says: "a pod cannot block access to itself" },
  throughService: {
    outcomes: ["allow", "deny"],
    source: kubernetes,
    says: "it is undefined whether policies are applied before or after addresses are rewritten",
  },
  podsInNetworks: {
    matches: "open",
    source: kubernetes,
    says: "an ipBlock should hold addresses outside the cluster, and what it does with those of pods is not said",
  },
  nodesInNetworks: {
    matches: "yes",
    source: kubernetes,
    says: "traffic of a node is matched by an ipBlock with its address",
  },
  hostPods: {
    are: "open",
    source: kubernetes,
    says: "what policies do with pods of the host network is undefined: a plugin takes such a pod for a pod, or for its node",
  },
  portRanges: {
    covers: "open",
    source: `${kubernetes}#targeting-a-range-of-ports`,
    says: "a plugin that does not support endPort applies a rule to the first port of the range alone",
  },
} as const satisfies Partial<Cni>;

export const cnis: readonly Cni[] = [
  {
    ...ofApi,
    ...{ name: "generic", title: "Kubernetes' API alone", model: null },
    ...{ kinds: [networkPolicy], conditions: [] },
  },
  {
    ...ofApi,
    ...{ name: "antrea", title: "Antrea", model: null },
    kinds: [
      ...[networkPolicy, admin, baseline],
      ...["ClusterNetworkPolicy.crd.antrea.io", "NetworkPolicy.crd.antrea.io"].map(
        (kind) => kind as KindText,
      ),
    ],
    conditions: [
      {
        kinds: [admin, baseline],
        text: `Antrea enforces them where its feature gate AdminNetworkPolicy is on, which it is not by default (${antrea}/admin-network-policy/)`,
      },
    ],
    nodeToOwnPods: {
      outcomes: ["allow"],
      source: `${antrea}/design/ovs-pipeline/`,
      says: "packets that a node sends to its own pods bypass ingress rules",
    },
    icmp: {
      outcomes: ["policies", "deny"],
      source: `${antrea}/antrea-network-policy/`,
      says: "ICMP that no NetworkPolicy allows is dropped; whether a rule without ports allows it is not said",
    },
    podsInNetworks: {
      matches: "open",
      source: `${antrea}/antrea-network-policy/`,
      says: "an ipBlock should hold addresses outside the cluster, and what it does with those of pods is not said",
    },
  },
  {
    ...ofApi,
    ...{ name: "calico", title: "Calico", model: "calico" },
    kinds: [
      ...[networkPolicy, clusterNetworkPolicy],
      ...["NetworkPolicy.projectcalico.org", "GlobalNetworkPolicy.projectcalico.org"].map(
        (kind) => kind as KindText,
      ),
    ],
    conditions: [
      {
        kinds: [clusterNetworkPolicy],
        text: `Calico has them in its tiers kube-admin and kube-baseline; releases before read AdminNetworkPolicies instead (${calico}/network-policy/policy-tiers/tiered-policy)`,
      },
    ],
    nodeToOwnPods: {
      outcomes: ["allow"],
      source: `${calico}/network-policy/hosts/protect-hosts`,
      says: "connections that a node makes to its own pods are allowed",
    },
    podToOwnNode: {
      outcomes: ["policies", "deny"],
      source: `${calico}/network-policy/hosts/protect-hosts`,
      says: "what policies allow from a pod to its own node is dropped, unless defaultEndpointToHostAction of the FelixConfiguration says otherwise",
    },
    sctp: {
      outcomes: ["policies"],
      source: `${calico}/network-policy/get-started/kubernetes-policy/kubernetes-network-policy`,
      says: "rules can say SCTP",
    },
    podsInNetworks: {
      matches: "yes",
      source: `${calico}/network-policy/get-started/kubernetes-policy/kubernetes-network-policy`,
      says: "an ipBlock allows the pods in it",
    },
  },
  {
    ...ofApi,
    ...{ name: "cilium", title: "Cilium", model: null },
    ...{ kinds: [networkPolicy], conditions: [] },
    nodeToOwnPods: {
      outcomes: ["allow"],
      source: `${ciliumLayers}/layer3/`,
      says: "connections from a node to its own pods are allowed, unless the agent runs with --allow-localhost=policy",
    },
    icmp: {
      outcomes: ["policies"],
      source: `${ciliumLayers}/layer4/`,
      says: "a rule without ports allows every protocol, ICMP too, and one with ports allows no ICMP",
    },
    sctp: {
      outcomes: ["policies", "allow", "deny"],
      source: "https://docs.cilium.io/en/stable/network/kubernetes/policy/",
      says: "SCTP is among the missing features of NetworkPolicy",
    },
    podsInNetworks: {
      matches: "no",
      source: `${ciliumLayers}/layer3/`,
      says: "an ipBlock matches no pod",
    },
    nodesInNetworks: {
      matches: "no",
      source: `${ciliumLayers}/layer3/`,
      says: "an ipBlock matches no node, unless policyCIDRMatchMode says so",
    },
    hostPods: {
      are: "node",
      source: `${ciliumLayers}/layer3/`,
      says: "pods of the host network are their node",
    },
    portRanges: {
      covers: "open",
      source: "https://docs.cilium.io/en/v1.15/network/kubernetes/policy/",
      says: "port ranges (endPort) are among the missing features of NetworkPolicy up to the release of that page",
    },
  },
];

/** The values of `--cni`, the default first. */
export const cniNames: readonly string[] = [ovnCni, ...cnis.map(({ name }) => name)];

/** null: `ovn`, whose answers are those of Northgate's own rows. */
export function cniNamed(name: string | undefined): Cni | null {
  return cnis.find((one) => one.name === name) ?? null;
}

/** A sentence without a full stop. */
export function sourceText({ title }: Pick<Cni, "title">, { says, source }: Documented): string {
  return `with ${title}, ${says} (${source})`;
}
