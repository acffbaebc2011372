// NetworkPolicies of networking.k8s.io/v1 as they are printed: the part of the API that a recommendation needs.

import type { Cidr } from "../model/ip.ts";

export interface LabelSelectorManifest {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: "DoesNotExist" }[];
}

export interface PeerManifest {
  readonly namespaceSelector?: LabelSelectorManifest;
  readonly podSelector?: LabelSelectorManifest;
  readonly ipBlock?: { readonly cidr: Cidr; readonly except?: readonly Cidr[] };
}

export interface PortManifest {
  readonly protocol: "TCP" | "UDP" | "SCTP";
  readonly port: number;
  readonly endPort?: number;
}

export interface RuleManifest {
  readonly from?: readonly PeerManifest[];
  readonly to?: readonly PeerManifest[];
  readonly ports: readonly PortManifest[];
}

export interface PolicyManifest {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "NetworkPolicy";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly podSelector: LabelSelectorManifest;
    readonly policyTypes: readonly ("Ingress" | "Egress")[];
    readonly ingress?: readonly RuleManifest[];
    readonly egress?: readonly RuleManifest[];
  };
}
