// A world with something of everything that the page shows: tiers of two APIs, kinds of one name, policies that are refused, not
// read, never decide or have many rules, a Service, and a rule whose name tries to be HTML.

import { namespaceOf, nodeOf, podOf } from "../support/manifests.ts";
import { hostile } from "./world.ts";

const admin = (name: string, spec: object) => ({
  ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
  spec: { priority: 5, subject: { namespaces: {} }, ...spec },
});
const everyone = [{ namespaces: {} }];

export const troubled = [
  ...[namespaceOf("shop"), namespaceOf("office")],
  ...[podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2"), podOf("office", "pc", "10.0.0.3")],
  admin("rules", {
    ingress: [
      { name: hostile, action: "Deny", from: everyone },
      { name: "late", action: "Allow", from: everyone },
    ],
  }),
  admin("many", {
    ...{ priority: 9, subject: { namespaces: { matchLabels: { "kubernetes.io/metadata.name": "office" } } } },
    egress: Array.from({ length: 9 }, (_, at) => ({
      name: `r${at}`,
      action: "Deny",
      to: [{ networks: [`192.0.2.${at}/32`] }],
    })),
  }),
  nodeOf("n"),
  {
    ...{ apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name: "web" } },
    spec: { clusterIP: "10.96.0.7", selector: { app: "web" }, ports: [{ port: 80 }] },
  },
  admin("refused", { priority: 1_000_000, ingress: [] }),
  ...["networking.k8s.io/v1", "crd.antrea.io/v1beta1"].map((apiVersion) => ({
    ...{ apiVersion, kind: "NetworkPolicy", metadata: { namespace: "shop", name: "closed" } },
    spec: apiVersion.startsWith("crd")
      ? {
          tier: "securityops",
          priority: 3,
          appliedTo: [{ podSelector: {} }],
          ingress: [{ action: "Drop", from: [{ podSelector: {} }] }],
        }
      : { podSelector: {}, policyTypes: ["Ingress"] },
  })),
  {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata: { namespace: "shop", name: "theirs" },
    spec: {},
  },
];
