// Workloads without pods count as pods that any rule of the catalogue may be about: what selects them selects something, a rule that
// decides for them speaks, and what denies them a service wherever they may be is found.

import { expect, test } from "@jest/globals";
import { namespace, node, pod, workload } from "../../test/support/facts.ts";
import type { LintTask } from "../../test/support/linted.ts";
import { found, reportOf } from "../../test/support/linted.ts";
import { anp, cnp, np } from "../../test/support/policies.ts";
import type { ReferencedObject, WorldObject } from "../model/object.ts";

const shop = namespace("shop");
const dns = pod("kube-system", "dns-0", {
  ips: ["10.0.0.1"],
  ports: [{ name: "dns", protocol: "udp", port: 53 }],
});
const cluster = [shop, namespace("kube-system"), dns];
const web = workload("shop", "web", {
  labels: { app: "web" },
  ports: [{ name: "http", protocol: "tcp", port: 8080 }],
});

function serviceOf(spec: object): ReferencedObject {
  return {
    ...{ kind: "Service", apiVersion: "v1", namespace: "shop", name: "web", uid: null, generation: null },
    ...{ annotations: new Map(), labels: new Map() },
    spec: { clusterIP: "None", ...spec },
  };
}

const ofWeb = { podSelector: { matchLabels: { app: "web" } } };
const fromWeb = [{ podSelector: { matchLabels: { app: "web" } } }];

test("a subject and peers that only a workload has are no nothing", () => {
  const policies = [
    np("subject", { ...ofWeb, ingress: [{ ports: [{ port: "http" }] }] }),
    np("peer", { podSelector: {}, ingress: [{ from: fromWeb }] }),
  ];
  const ids = ["NG001", "NG002", "NG004", "NG006", "NG016"];
  expect(found([...cluster, ...policies], ids)).not.toEqual([]);
  expect(found([...cluster, ...policies], ids, { workloads: [web] })).toEqual([]);
  // Nothing else is known: its namespace is, all the same.
  expect(found([shop, ...policies], ids, { workloads: [web] })).toEqual([]);
});

test("a port that the workload does not declare, and one on the host network alone", () => {
  const port = np("port", { ...ofWeb, ingress: [{ ports: [{ port: "htpp" }] }] });
  expect(found([shop, port], ["NG006"], { workloads: [web] })).toEqual(["NG006 warning port ingress[0]"]);
  const host = workload("shop", "agent", { labels: { app: "agent" }, hostNetwork: true, kind: "DaemonSet" });
  const ofAgent = np("agent", { podSelector: { matchLabels: { app: "agent" } } });
  const [finding] = reportOf([shop, ofAgent], {
    workloads: [host],
    choice: { only: new Set(["NG004"]), skip: new Set() },
  }).findings;
  expect(finding?.message).toContain("only pods on the host network (shop/agent (DaemonSet))");
});

test("a workload that cannot reach DNS wherever it is, and not one that may", () => {
  const task = { workloads: [web], choice: { only: new Set(["NG008"]), skip: new Set<string>() } };
  const closed = np("closed", { ...ofWeb, policyTypes: ["Egress"] });
  expect(reportOf([...cluster, closed], task).findings.map(({ message }) => message)).toEqual([
    "1 of 2 pods and workloads cannot reach DNS over udp 53: denied where it leaves them, for shop/web (Deployment)",
  ]);
  // Its address may be one that the DNS pod lets in.
  const half = np(
    "half",
    { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
    "kube-system",
  );
  expect(reportOf([...cluster, half], task).findings).toEqual([]);
  const none = np("none", { podSelector: {}, ingress: [] }, "kube-system");
  expect(reportOf([...cluster, none], task).findings.map(({ policy }) => policy.name)).toEqual(["none"]);
});

test("a network that a workload's pods may be in denies no pod for sure", () => {
  const policy = np("net", { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.1.0.0/16" } }] }] });
  expect(found([shop, policy], ["NG007"], { workloads: [web] })).toEqual([]);
});

/** What is found of these rules: the name of the policy, and the message. */
const told = (id: string, objects: readonly WorldObject[], task: LintTask): readonly string[] =>
  reportOf(objects, { ...task, choice: { only: new Set([id]), skip: new Set() } })
    .findings.filter((one) => one.id === id)
    .map(({ policy, message }) => `${policy.name}: ${message}`);
const net = (cidr: string, ...except: readonly string[]) => ({ ipBlock: { cidr, except } });
const db = workload("shop", "db", { labels: { app: "db" } });
const ofDb = { podSelector: { matchLabels: { app: "db" } } };

test("NG008: DNS that a Deployment serves", () => {
  const coredns = workload("kube-system", "coredns", {
    ports: [{ name: "dns", protocol: "udp", port: 53 }],
  });
  const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "kube-system");
  const task = { workloads: [web, coredns] };
  const cannot = "closed: 1 of 2 workloads cannot reach DNS over udp 53: denied where it arrives";
  expect(told("NG008", [shop, namespace("kube-system"), closed], task)).toEqual([
    `${cannot}, for shop/web (Deployment)`,
  ]);
  const some = { podSelector: {}, ingress: [{ from: [net("10.0.0.0/8")] }] };
  expect(told("NG008", [shop, namespace("kube-system"), np("some", some, "kube-system")], task)).toEqual([]);
});

test("NG008: denied at every address, by one policy or another", () => {
  const to = [{ networks: ["10.0.0.0/8"] }];
  const served = anp("p", { subject: { namespaces: {} }, egress: [{ action: "Deny", to }] });
  const coredns = workload("kube-system", "coredns", { ports: [{ name: "dns", protocol: "udp", port: 53 }] });
  const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] }, "kube-system");
  const [message] = told("NG008", [shop, namespace("kube-system"), served, closed], {
    workloads: [web, coredns],
  });
  expect(message).toMatch(/ \(or, at other addresses, by .*\), for shop\/web \(Deployment\)$/);
});

test("NG010: probes, wherever the pods run", () => {
  const later = (subject: object) =>
    cnp("p", { subject, ingress: [{ action: "Deny", from: [{ galaxies: {} }] }] });
  const all = later({ namespaces: {} });
  const nodes = ["n1", "n2"].map((name, at) => node(name, {}, [`172.18.0.${at + 1}`]));
  const task = { workloads: [web, db] };
  expect(told("NG010", [shop, ...nodes, all], task)).toEqual([
    "p: 2 of 2 workloads cannot be probed by their own nodes: denied where it arrives, for shop/web (Deployment), " +
      "shop/db (Deployment)",
  ]);
  // No node is known.
  expect(told("NG010", [shop, all], task)).toEqual([]);
  // The API lets a node reach its own pods, whatever isolates them.
  const isolated = np("closed", { podSelector: {}, policyTypes: ["Ingress"] });
  expect(told("NG010", [shop, ...nodes, isolated], task)).toEqual([]);
});

test("NG011: a Deployment that scrapes another", () => {
  const metrics = workload("shop", "api", { ports: [{ name: "metrics", protocol: "tcp", port: 9090 }] });
  const prometheus = workload("mon", "prometheus", { kind: "StatefulSet" });
  const task = { workloads: [metrics, prometheus], needs: { monitoring: "mon" } };
  const closed = np("closed", { podSelector: {}, policyTypes: ["Ingress"] });
  expect(told("NG011", [shop, namespace("mon"), closed], task)).toEqual([
    "closed: 1 of 1 workload cannot be scraped from namespace mon: denied where it arrives, for shop/api (Deployment)",
  ]);
  // Prometheus may be there.
  const some = np("some", { podSelector: {}, ingress: [{ from: [net("10.3.0.0/16")] }] });
  expect(told("NG011", [shop, namespace("mon"), some], task)).toEqual([]);
});

test("NG003: a tie is certain where no address avoids it", () => {
  const rule = (action: string, to: object) => anp(action, { egress: [{ action, to: [to] }] });
  const task = { workloads: [web, db] };
  const every = [rule("Allow", { namespaces: {} }), rule("Deny", { networks: ["0.0.0.0/0"] })];
  expect(found([shop, ...every], ["NG003"], task)).toEqual(["NG003 error Allow egress[0]"]);
  const some = [rule("Allow", { namespaces: {} }), rule("Deny", { networks: ["10.3.0.0/16"] })];
  expect(found([shop, ...some], ["NG003"], task)).toEqual(["NG003 info Allow egress[0]"]);
  expect(told("NG003", [shop, ...some], task)).toEqual([
    expect.stringContaining("whether a connection meets both today is not known, but one could"),
  ]);
});

test("NG003: a tie at an address that no pod has is one, unless pods are known at every address of the network", () => {
  const first = anp("first", {
    egress: [
      { action: "Allow", to: [{ namespaces: {} }] },
      { action: "Deny", to: [{ networks: ["10.3.0.0/16"] }] },
    ],
  });
  const second = anp("second", { egress: [{ action: "Allow", to: [{ networks: ["10.3.0.0/31"] }] }] });
  const at = (...ips: readonly string[]) => ips.map((ip) => pod("shop", `at-${ip}`, { ips: [ip] }));
  const ties = (task: LintTask, ...ips: readonly string[]) =>
    found([shop, ...at(...ips), first, second], ["NG003"], task);
  const certain = ["NG003 error first egress[1]"];
  expect(ties({ workloads: [web, db] })).toEqual(certain);
  expect(ties({}, "10.3.0.1", "10.3.0.2")).toEqual(certain);
  expect(ties({}, "10.3.0.0", "10.3.0.1")).toEqual(["NG003 info first egress[1]"]);
});

test("NG007 and NG024: a network of all addresses holds pods that are not there yet, a part of them may not", () => {
  const deny = (network: string) =>
    anp("net", { egress: [{ action: "Deny", to: [{ networks: [network] }] }] });
  const task = { workloads: [web, db] };
  expect(told("NG007", [shop, deny("0.0.0.0/0")], task)).toEqual([
    "net: denies connections between pods by their addresses, from 2 workloads to 2 workloads: its networks hold the pod network",
  ]);
  expect(told("NG007", [shop, deny("10.0.0.0/8")], task)).toEqual([]);
  const open = (...except: readonly string[]) =>
    np("open", { ...ofDb, ingress: [{ from: [net("0.0.0.0/0", ...except)] }] });
  expect(told("NG024", [shop, open()], task)).toEqual([
    "open: a network of all addresses is every pod too: it allows connections between pods, from 2 workloads to 1 workload",
  ]);
  expect(told("NG024", [shop, open("10.0.0.0/8")], task)).toEqual([]);
  // No pod has an IPv6 address, and no node gives one.
  expect(told("NG007", [shop, deny("::/0")], task)).toEqual([]);
});

test("NG021: the port of a Service whose pods a Deployment makes", () => {
  const services = [serviceOf({ selector: { app: "web" }, ports: [{ port: 80, targetPort: 8081 }] })];
  const task = { workloads: [web, db], services };
  const allows =
    "allows tcp 80, which is the port of Service shop/web: it leads to tcp 8081 of its pods, which is denied";
  const ports = [{ port: 80 }];
  expect(told("NG021", [shop, np("p", { ...ofWeb, ingress: [{ ports }] })], task)).toEqual([`p: ${allows}`]);
  const egress = (to: object) => np("p", { ...ofDb, policyTypes: ["Egress"], egress: [{ to: [to], ports }] });
  expect(told("NG021", [shop, egress(ofWeb)], task)).toEqual([`p: ${allows}`]);
  // Nothing says that the pods are there.
  expect(told("NG021", [shop, egress(net("10.0.0.0/8"))], task)).toEqual([]);
});

test("NG026: workloads that no policy selects", () => {
  const task = { workloads: [web, db, workload("ops", "bot", { kind: "CronJob" })] };
  expect(told("NG026", [shop, namespace("ops"), np("p", ofWeb)], task)).toEqual([
    "shop: 1 of 2 workloads of the namespace is selected by no policy, so everything may reach it and be reached by it: " +
      "db (Deployment)",
    "pods: 1 of 3 workloads is in 1 namespace without any policy, so everything may reach it and be reached by it: ops",
  ]);
  expect(told("NG026", [shop, pod("shop", "one", { ips: ["10.0.0.9"] })], { workloads: [web] })).toEqual([
    expect.stringContaining("2 of 2 pods and workloads are in 1 namespace without any policy"),
  ]);
});
