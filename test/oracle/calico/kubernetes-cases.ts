// Kubernetes' policies among Calico's: where they stand and what they mean (Calico's reference of Tier; its conversions).

import type { Case } from "./build.ts";
import { allow, asked, by, calicoNp, clusterNp, deny, everyPod, knp, tier, to, verdict } from "./build.ts";

const peers = { matchLabels: { app: "web" } };

export const kubernetesCases: readonly Case[] = [
  {
    says: "a NetworkPolicy of Kubernetes is in default at order 1000",
    manifests: [knp("k", { podSelector: {}, ingress: [{}] }), to("g", { order: 999, ingress: [deny] })],
    goes: { ...verdict(`deny ${by("g", 0)}`), "bare/it -> lab/web tcp 80": "deny" },
  },
  {
    says: "before policies behind 1000",
    manifests: [knp("k", { podSelector: {}, ingress: [{}] }), to("g", { order: 1001, ingress: [deny] })],
    goes: { ...verdict("allow by NetworkPolicy/shop/k ingress 0"), "bare/it -> lab/web tcp 80": "deny" },
  },
  {
    says: "what it does not allow goes on to later policies of default",
    manifests: [knp("k", { podSelector: {} }), to("g", { order: 1001, ingress: [allow] })],
    goes: verdict(`allow ${by("g", 0)}`),
  },
  {
    says: "and is denied at its end",
    manifests: [knp("k", { podSelector: {} })],
    goes: { ...verdict("deny by the end of default"), "shop/db -> bare/it tcp 80": "allow" },
  },
  {
    says: "in a tie its kind is KubernetesNetworkPolicy, before NetworkPolicy",
    manifests: [
      knp("p", { podSelector: {}, ingress: [{}] }),
      calicoNp("p", { order: 1000, ingress: [deny] }),
    ],
    goes: verdict("allow by NetworkPolicy/shop/p ingress 0"),
  },
  {
    says: "its peers are pods only",
    manifests: [
      knp("k", {
        podSelector: { matchLabels: { app: "db" } },
        ingress: [
          {
            from: [
              { podSelector: {} },
              { namespaceSelector: { matchLabels: { team: "b" } }, podSelector: peers },
            ],
          },
        ],
      }),
    ],
    goes: {
      "shop/web -> shop/db tcp 80": "allow",
      "lab/web -> shop/db tcp 80": "allow",
      "bare/it -> shop/db tcp 80": "deny",
      "192.0.2.1 -> shop/db tcp 80": "deny",
    },
  },
  {
    says: "or networks with exceptions",
    manifests: [
      knp("k", {
        podSelector: {},
        policyTypes: ["Egress"],
        egress: [{ to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8"] } }] }],
      }),
    ],
    goes: { "shop/db -> 8.8.8.8 tcp 80": "allow", "shop/db -> bare/it tcp 80": "deny", [asked]: "allow" },
  },
  {
    says: "its ports are of TCP unless told, ranges and names of the destination",
    manifests: [
      knp("k", {
        podSelector: { matchLabels: { app: "db" } },
        ingress: [
          {
            ports: [
              { port: 22 },
              { port: "http" },
              { protocol: "UDP", port: 50, endPort: 60 },
              { protocol: "SCTP" },
            ],
          },
        ],
      }),
    ],
    goes: {
      "bare/it -> shop/db tcp 22": "allow",
      "bare/it -> shop/db tcp 8080": "allow",
      "bare/it -> shop/db udp 60": "allow",
      "bare/it -> shop/db udp 61": "deny",
      "bare/it -> shop/db sctp 7": "allow",
      "bare/it -> shop/db icmp 8/0": "deny",
    },
  },
  {
    says: "ClusterNetworkPolicies of tier Admin are at 1,000, by priority",
    manifests: [
      clusterNp("c", {
        tier: "Admin",
        priority: 5,
        subject: everyPod,
        ingress: [{ action: "Deny", from: [everyPod] }],
      }),
      clusterNp("d", {
        tier: "Admin",
        priority: 4,
        subject: everyPod,
        ingress: [{ action: "Pass", from: [{ namespaces: { matchLabels: { team: "b" } } }] }],
      }),
      to("g", { ingress: [allow] }),
    ],
    goes: {
      [asked]: "deny by ClusterNetworkPolicy/c ingress 0",
      "lab/web -> shop/db tcp 80": `allow ${by("g", 0)}`,
      "8.8.8.8 -> shop/db tcp 80": "allow",
    },
  },
  {
    says: "a tier before 1,000 comes before them, one behind comes behind",
    manifests: [
      ...[tier("t", { order: 999.5 }), tier("u", { order: 1000.5 })],
      to("g", { tier: "t", selector: "app == 'db'", ingress: [allow] }),
      to("h", { tier: "u", ingress: [deny] }),
      clusterNp("c", {
        tier: "Admin",
        priority: 5,
        subject: everyPod,
        ingress: [{ action: "Accept", from: [everyPod] }],
      }),
    ],
    goes: {
      [asked]: `allow ${by("g", 0)}`,
      "bare/it -> shop/web tcp 80": "allow by ClusterNetworkPolicy/c ingress 0",
    },
  },
  {
    says: "those of tier Baseline come behind default, and their end passes",
    manifests: [
      clusterNp("c", {
        ...{ tier: "Baseline", priority: 5, subject: everyPod },
        ingress: [
          {
            action: "Deny",
            from: [everyPod],
            protocols: [{ tcp: { destinationPort: { number: 80 } } }, { destinationNamedPort: "http" }],
          },
        ],
      }),
      to("g", { selector: "app == 'web'", ingress: [allow] }),
    ],
    goes: {
      [asked]: "deny by ClusterNetworkPolicy/c ingress 0",
      "bare/it -> shop/db tcp 8080": "deny",
      "bare/it -> shop/db tcp 81": "allow",
      "bare/it -> shop/web tcp 80": `allow ${by("g", 0)}`,
    },
  },
];
