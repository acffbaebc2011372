// A small cluster and Calico's policies in it, as users write them and as Calico stores them.

import type { KubernetesObject } from "../test/kube/api.ts";
import { clusterPolicy, namespace, node, pod } from "../test/kube/objects.ts";

export const shop = "shop";
export const account = (trust: string): KubernetesObject => ({
  ...{ apiVersion: "v1", kind: "ServiceAccount" },
  metadata: { name: "robot", namespace: shop, labels: { trust } },
});
export const slice = (...addresses: readonly string[]) => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
  metadata: { name: "db-1", namespace: shop, labels: { "kubernetes.io/service-name": "db" } },
  endpoints: addresses.map((address) => ({ addresses: [address] })),
  ports: [{ name: "sql", protocol: "TCP", port: 5432 }],
});
export const world = [
  node("n1", { ips: ["172.18.0.2"], podCidrs: ["10.244.0.0/24"] }),
  ...[namespace(shop, { team: "a" }), namespace("lab", { team: "b" })],
  ...[account("high"), slice("10.244.0.11")],
  pod(shop, "web", { node: "n1", labels: { app: "web" }, ips: ["10.244.0.10"], account: "robot" }),
  pod(shop, "db", { node: "n1", labels: { app: "db" }, ips: ["10.244.0.11"] }),
  pod("lab", "client", { node: "n1", labels: { app: "client" }, ips: ["10.244.0.12"] }),
  clusterPolicy("admin", {
    ...{ tier: "Admin", priority: 5, subject: { namespaces: { matchLabels: { team: "a" } } } },
    ingress: [{ action: "Pass", from: [{ namespaces: { matchLabels: { team: "b" } } }] }],
  }),
  {
    ...{
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "db", namespace: shop },
    },
    spec: {
      podSelector: { matchLabels: { app: "db" } },
      ingress: [{ from: [{ podSelector: {} }] }],
    },
  },
] as const;

interface Words {
  readonly in?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** As users write it. */
export const made = (kind: string, name: string, spec: object, words: Words = {}): KubernetesObject => ({
  ...{ apiVersion: "projectcalico.org/v3", kind, spec },
  metadata: {
    name,
    ...(words.in === undefined ? {} : { namespace: words.in }),
    ...(words.labels === undefined ? {} : { labels: words.labels }),
  },
});
const bad = { selector: "kind == 'bad'" };
export const quarantine = (action: string) =>
  made("GlobalNetworkPolicy", "quarantine", {
    ...{ tier: "security", order: 10, types: ["Ingress", "Egress"] },
    ingress: [{ action, source: bad }, { action: "Pass" }],
    egress: [
      { action, destination: bad },
      { action: "Pass", protocol: "TCP" },
    ],
  });
export const web = (more: object = {}) =>
  made(
    "NetworkPolicy",
    "web",
    {
      ...{ selector: "app == 'web'", types: ["Ingress", "Egress"] },
      ingress: [{ action: "Allow", source: { selector: "kind == 'partner'" } }],
      egress: [{ action: "Allow", destination: { services: { name: "db" } } }],
      ...more,
    },
    { in: shop },
  );
/** `action`: what becomes of the bad ones. */
export const policies = (action = "Deny"): readonly KubernetesObject[] => [
  made("Tier", "security", { order: 100 }),
  made("Tier", "platform", { order: 200.5, defaultAction: "Pass" }),
  quarantine(action),
  made("GlobalNetworkPolicy", "robots", {
    ...{ tier: "platform", selector: "app == 'db'", types: ["Ingress"] },
    ingress: [
      {
        ...{ action: "Allow", protocol: "TCP", destination: { ports: [5432] } },
        source: { serviceAccounts: { selector: "trust == 'high'" } },
      },
    ],
  }),
  web(),
  made("GlobalNetworkSet", "bad", { nets: ["203.0.113.0/24"] }, { labels: { kind: "bad" } }),
  made(
    "NetworkSet",
    "partners",
    { nets: ["198.51.100.7", "198.51.100.16/28"] },
    { in: shop, labels: { kind: "partner" } },
  ),
];

/** As Calico stores it: the name and the labels that users wrote stand in an annotation. */
export function stored({ kind, metadata, spec }: KubernetesObject): KubernetesObject {
  const { name, namespace: home, labels } = metadata;
  const place = home === undefined ? {} : { namespace: home };
  // Of a policy in tier default the name follows without the annotation too.
  const tier = (spec as { readonly tier?: string }).tier ?? "default";
  const isPolicy = kind.endsWith("NetworkPolicy");
  const written = { ...place, ...(isPolicy && tier !== "default" ? { name } : {}), labels };
  const annotations = { "projectcalico.org/metadata": JSON.stringify(written) };
  return {
    ...{ apiVersion: "crd.projectcalico.org/v1", kind, spec },
    metadata: { ...place, annotations, name: isPolicy ? `${tier}.${name}` : name },
  };
}
