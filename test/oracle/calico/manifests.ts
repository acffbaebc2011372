// The manifests that the judge of Calico's policies reads, as plain objects: what has no effect on a verdict is not named. They
// are taken to be valid; the judge refuses nothing but selectors.

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Of<K extends string, S> {
  readonly apiVersion: string;
  readonly kind: K;
  readonly metadata: Metadata;
  readonly spec: S;
}

export interface CalicoEntity {
  readonly nets?: readonly string[];
  readonly notNets?: readonly string[];
  readonly selector?: string;
  readonly notSelector?: string;
  readonly namespaceSelector?: string;
  readonly serviceAccounts?: { readonly names?: readonly string[]; readonly selector?: string };
  readonly ports?: readonly (number | string)[];
  readonly notPorts?: readonly (number | string)[];
  readonly services?: { readonly name: string; readonly namespace?: string };
}

export interface IcmpFields {
  readonly type?: number;
  readonly code?: number;
}

export interface CalicoRule {
  readonly action: "Allow" | "Deny" | "Log" | "Pass";
  readonly protocol?: string | number;
  readonly notProtocol?: string | number;
  readonly icmp?: IcmpFields;
  readonly notICMP?: IcmpFields;
  readonly ipVersion?: 4 | 6;
  readonly source?: CalicoEntity;
  readonly destination?: CalicoEntity;
}

export interface CalicoSpec {
  readonly tier?: string;
  readonly order?: number;
  readonly selector?: string;
  readonly namespaceSelector?: string;
  readonly serviceAccountSelector?: string;
  readonly types?: readonly ("Ingress" | "Egress")[];
  readonly ingress?: readonly CalicoRule[];
  readonly egress?: readonly CalicoRule[];
  readonly doNotTrack?: boolean;
  readonly preDNAT?: boolean;
  readonly applyOnForward?: boolean;
}

export interface TierSpec {
  readonly order?: number;
  readonly defaultAction?: "Deny" | "Pass";
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

export interface NetworkPolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface NetworkPolicyPort {
  readonly protocol?: "TCP" | "UDP" | "SCTP";
  readonly port?: number | string;
  readonly endPort?: number;
}

export interface NetworkPolicyRule {
  readonly from?: readonly NetworkPolicyPeer[];
  readonly to?: readonly NetworkPolicyPeer[];
  readonly ports?: readonly NetworkPolicyPort[];
}

export interface NetworkPolicySpec {
  readonly podSelector?: LabelSelector;
  readonly policyTypes?: readonly ("Ingress" | "Egress")[];
  readonly ingress?: readonly NetworkPolicyRule[];
  readonly egress?: readonly NetworkPolicyRule[];
}

export interface ClusterPeer {
  readonly namespaces?: LabelSelector;
  readonly pods?: { readonly namespaceSelector?: LabelSelector; readonly podSelector?: LabelSelector };
  readonly networks?: readonly string[];
}

interface ClusterPort {
  readonly destinationPort?: {
    readonly number?: number;
    readonly range?: { readonly start: number; readonly end: number };
  };
}

export interface ClusterProtocol {
  readonly tcp?: ClusterPort;
  readonly udp?: ClusterPort;
  readonly sctp?: ClusterPort;
  readonly destinationNamedPort?: string;
}

export interface ClusterRule {
  readonly action: "Accept" | "Deny" | "Pass";
  readonly from?: readonly ClusterPeer[];
  readonly to?: readonly ClusterPeer[];
  readonly protocols?: readonly ClusterProtocol[];
}

export interface ClusterPolicySpec {
  readonly tier: "Admin" | "Baseline";
  readonly priority: number;
  readonly subject: ClusterPeer;
  readonly ingress?: readonly ClusterRule[];
  readonly egress?: readonly ClusterRule[];
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly serviceAccountName?: string;
  readonly containers?: readonly {
    readonly name: string;
    readonly ports?: readonly {
      readonly name?: string;
      readonly protocol?: string;
      readonly containerPort: number;
    }[];
  }[];
}

export interface Pod extends Of<"Pod", PodSpec> {
  readonly status: { readonly phase?: string; readonly podIPs?: readonly { readonly ip: string }[] };
}

export interface Plain<K extends string> {
  readonly apiVersion: string;
  readonly kind: K;
  readonly metadata: Metadata;
}

export interface EndpointSlice extends Plain<"EndpointSlice"> {
  readonly addressType: "IPv4" | "IPv6" | "FQDN";
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
  readonly ports?: readonly {
    readonly name?: string;
    readonly protocol?: string;
    readonly port?: number;
  }[];
}

export type CalicoPolicy =
  | Of<"GlobalNetworkPolicy", CalicoSpec>
  | (Of<"NetworkPolicy", CalicoSpec> & { readonly apiVersion: CalicoVersion });
export type CalicoVersion = "projectcalico.org/v3" | "crd.projectcalico.org/v1";
export type Tier = Of<"Tier", TierSpec>;
export type NetworkSet = Of<"NetworkSet" | "GlobalNetworkSet", { readonly nets?: readonly string[] }>;
export type KubernetesPolicy = Of<"NetworkPolicy", NetworkPolicySpec> & {
  readonly apiVersion: "networking.k8s.io/v1";
};
export type ClusterPolicy = Of<"ClusterNetworkPolicy", ClusterPolicySpec>;

export type Manifest =
  | Pod
  | Plain<"Namespace">
  | Plain<"ServiceAccount">
  | EndpointSlice
  | CalicoPolicy
  | Tier
  | NetworkSet
  | KubernetesPolicy
  | ClusterPolicy;

const metadataNote = "projectcalico.org/metadata";

/**
 * The metadata that the user gave. Of an object as Calico stores it that is the JSON in an annotation, whose labels win over
 * those beside it; `default.` is cut from the name of a policy in tier default when the annotation has no name.
 */
export function metadataOf(manifest: Manifest): Metadata {
  const { metadata, apiVersion } = manifest;
  const noted = metadata.annotations?.[metadataNote];
  if (apiVersion !== "crd.projectcalico.org/v1" || noted === undefined) return metadata;
  const given = JSON.parse(noted) as Partial<Metadata>;
  const cut = isOfTierDefault(manifest) ? metadata.name.replace(/^default\./, "") : metadata.name;
  return { ...metadata, name: given.name ?? cut, labels: { ...metadata.labels, ...given.labels } };
}

function isOfTierDefault(manifest: Manifest): boolean {
  return (
    (manifest.kind === "GlobalNetworkPolicy" || manifest.kind === "NetworkPolicy") &&
    (!("tier" in manifest.spec) || manifest.spec.tier === "default")
  );
}
