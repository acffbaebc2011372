// Workloads without pods count as pods that any rule of the catalogue may be about: what selects them selects something, a rule that
// decides for them speaks, and what denies them a service wherever they may be is found.

import { expect, test } from "@jest/globals";
import { namespace, pod, workload } from "../../test/support/facts.ts";
import { found, reportOf } from "../../test/support/linted.ts";
import { np } from "../../test/support/policies.ts";

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
