// Manifests that are as they should be have none of NG021 to NG028: a shop of three tiers behind a default deny, beside admin and
// baseline policies and monitoring; and the examples of this repository.

import { expect, test } from "@jest/globals";
import { namespace, node, pod } from "../../../test/support/facts.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { anp, banp, namespacesWith, np } from "../../../test/support/policies.ts";
import { everyDialect, everyKind, installed } from "../../dialects.ts";
import { loadManifests } from "../../informers/index.ts";
import type { ReferencedObject, WorldObject } from "../../model/object.ts";

const named = (name: string) => ({ "kubernetes.io/metadata.name": name });
const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: named(name) } });
const app = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const http = [{ name: "http", protocol: "tcp", port: 8080 }] as const;
const sql = [{ name: "sql", protocol: "tcp", port: 5432 }] as const;
const dns = [
  { name: "dns", protocol: "udp", port: 53 },
  { name: "dns-tcp", protocol: "tcp", port: 53 },
] as const;

const facts: readonly WorldObject[] = [
  ...["kube-system", "ingress", "monitoring", "shop"].map((name) => namespace(name, named(name))),
  node("n1", {}, ["172.18.0.1"]),
  pod("kube-system", "dns-0", { labels: { "k8s-app": "kube-dns" }, ips: ["10.0.0.1"], ports: dns }),
  pod("ingress", "proxy-0", { labels: { app: "proxy" }, ips: ["10.0.0.2"], ports: http }),
  pod("monitoring", "prom-0", { labels: { app: "prometheus" }, ips: ["10.0.0.3"] }),
  ...["10.0.1.1", "10.0.1.2"].map((ip, at) =>
    pod("shop", `web-${at}`, { labels: { app: "web" }, ips: [ip], ports: http }),
  ),
  pod("shop", "api-0", { labels: { app: "api" }, ips: ["10.0.1.3"], ports: http }),
  pod("shop", "db-0", { labels: { app: "db" }, ips: ["10.0.1.4"], ports: sql }),
];

const service = (name: string, at: number, port: object): ReferencedObject => ({
  ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name, uid: null, generation: null },
  ...{ annotations: new Map(), labels: new Map() },
  spec: { clusterIP: `10.96.0.${at}`, selector: { app: name }, ports: [port] },
});
const services = [
  service("web", 10, { port: 80, targetPort: "http" }),
  service("api", 11, { port: 80, targetPort: 8080 }),
  service("db", 12, { port: 5432 }),
];

const policies: readonly WorldObject[] = [
  np("default-deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
  np("allow-dns", {
    ...{ podSelector: {}, policyTypes: ["Egress"] },
    egress: [
      {
        to: [{ ...inNamespace("kube-system"), podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
    ],
  }),
  np("allow-metrics", {
    ...{ podSelector: {}, policyTypes: ["Ingress"] },
    ingress: [{ from: [{ ...inNamespace("monitoring"), ...app("prometheus") }], ports: [{ port: 9090 }] }],
  }),
  np("web", {
    ...{ ...app("web"), policyTypes: ["Ingress", "Egress"] },
    ingress: [{ from: [{ ...inNamespace("ingress"), ...app("proxy") }], ports: [{ port: "http" }] }],
    egress: [{ to: [app("api")], ports: [{ port: 8080 }] }],
  }),
  np("api", {
    ...{ ...app("api"), policyTypes: ["Ingress", "Egress"] },
    ingress: [{ from: [app("web")], ports: [{ port: 8080 }] }],
    egress: [
      { to: [app("db")], ports: [{ port: 5432 }] },
      {
        to: [{ ipBlock: { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "172.16.0.0/12"] } }],
        ports: [{ port: 443 }],
      },
    ],
  }),
  np("db", {
    ...{ ...app("db"), policyTypes: ["Ingress", "Egress"] },
    ingress: [{ from: [app("api")], ports: [{ port: 5432 }] }],
  }),
  np(
    "proxy",
    { ...app("proxy"), policyTypes: ["Ingress"], ingress: [{ ports: [{ port: 8080 }] }] },
    "ingress",
  ),
  anp("monitoring", {
    priority: 10,
    subject: namespacesWith(named("monitoring")),
    ingress: [
      { name: "self", action: "Allow", from: [namespacesWith(named("monitoring"))] },
      { name: "others", action: "Deny", from: [{ namespaces: {} }] },
    ],
  }),
  banp({
    ingress: [{ name: "default-deny", action: "Deny", from: [{ namespaces: {} }] }],
  }),
];

const isNew = (id: string): boolean => id >= "NG021";

test("policies as people write them", () => {
  const { findings } = reportOf([...facts, ...policies], { services });
  expect(
    findings
      .filter(({ id }) => isNew(id))
      .map(({ id, policy, message }) => `${id} ${policy.name} ${message}`),
  ).toEqual([]);
});

test.each([
  ["examples/cluster-control", []],
  ["examples/cluster-network-policy", []],
  ["examples/network-policy", []],
  // One namespace of it is left open on purpose.
  ["examples/multi-tenant/cluster examples/multi-tenant/policies", ["NG026"]],
])("%s", (folders, expected) => {
  const { policies: kinds, references } = installed(everyKind);
  const { objects } = loadManifests(folders.split(" "), kinds, references);
  expect(objects.length).toBeGreaterThan(0);
  const { findings } = reportOf(objects, { dialects: everyDialect.dialects });
  expect(findings.map(({ id }) => id).filter(isNew)).toEqual(expected);
});
