// 4,000 pods (PODS: a multiple of 500), 500 namespaces and 60 policies, created through the API while the program follows, and read by a fresh start
// of it. The rows are those of `render`; the API server's own log counts what it was asked.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, jest, test } from "@jest/globals";
import type { KubernetesObject } from "../test/kube/api.ts";
import { adminPolicy, namespace, node, pod } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd } from "./describe.ts";
import { say } from "./harness.ts";
import type { Scrape } from "./prometheus.ts";
import { patience } from "../test/support/patience.ts";

jest.setTimeout(patience(240_000));

const nodes = 50;
const namespaces = 500;
const pods = Number(process.env["PODS"] ?? 4000);
const policies = 60;
const tenants = 30;
const pageSize = 500;
const apps = ["web", "db", "cache", "batch"] as const;

const upTo = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const tenant = (number: number) => ({ namespaces: { matchLabels: { tenant: `t${number % tenants}` } } });
const appOf = (number: number) => ({
  pods: {
    namespaceSelector: { matchLabels: { tenant: `t${number % tenants}` } },
    podSelector: { matchLabels: { app: apps[number % apps.length] ?? "" } },
  },
});

const theNodes = upTo(nodes, (i) =>
  node(`n${i}`, { ips: [`192.0.2.${i}`], podCidrs: [`10.${i}.0.0/16`, `fd00:${i}::/64`] }),
);
const theNamespaces = upTo(namespaces, (i) => namespace(`ns${i}`, { tenant: `t${i % tenants}` }));
const thePods = upTo(pods, (i) =>
  pod(`ns${i % namespaces}`, `p${i}`, {
    node: `n${i % nodes}`,
    labels: { app: apps[i % apps.length] ?? "" },
    ips: [`10.${i % nodes}.${Math.floor(i / 250)}.${i % 250}`, `fd00:${i % nodes}::${i.toString(16)}`],
    ports: [{ name: "http", port: 8080 }],
  }),
);
const thePolicies = upTo(policies, (i): KubernetesObject => {
  const tcp = (port: number) => [{ portNumber: { protocol: "TCP", port } }];
  return adminPolicy(`policy-${i}`, {
    priority: i,
    subject: tenant(i),
    ingress: [
      { action: "Allow", from: [tenant(i)] },
      { action: "Pass", from: [appOf(i + 1)], ports: tcp(8080) },
      { action: "Deny", from: [{ namespaces: {} }] },
    ],
    egress: [
      { action: "Allow", to: [tenant(i), appOf(i + 2)] },
      { action: "Allow", to: [{ networks: ["198.51.100.0/24"] }], ports: tcp(443) },
      { action: "Deny", to: [{ networks: ["0.0.0.0/0", "::/0"] }] },
    ],
  });
});

/** What the run under way has cost so far. */
function costs(metrics: Scrape): string {
  const mebibytes = (name: string) => Math.round((metrics.value(name) ?? 0) / 2 ** 20);
  const [resident, heap] = [
    mebibytes("process_resident_memory_bytes"),
    mebibytes("nodejs_heap_size_used_bytes"),
  ];
  const passes = metrics.value("northgate_reconcile_duration_seconds_count") ?? 0;
  const spent = (metrics.value("northgate_reconcile_duration_seconds_sum") ?? 0).toFixed(1);
  const cpu = (metrics.value("process_cpu_seconds_total") ?? 0).toFixed(1);
  return `${resident} MiB resident, ${heap} MiB of heap in use, ${passes} passes in ${spent} s, ${cpu} s of processor`;
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

await describeEndToEnd("at scale", {}, (harness) => {
  test("thousands of pods: the rows of render, a list a kind, a status write a policy, and nothing while nothing happens", async () => {
    const { objects, audit, plane } = harness();
    const run = harness().start();
    await run.ready();
    const started = performance.now();
    await objects.create([...theNodes, ...theNamespaces]);
    await objects.create(thePolicies);
    await objects.create(thePods);
    say(`${pods} pods, ${namespaces} namespaces, ${policies} policies created in ${seconds(started)}`);
    const created = performance.now();
    await harness().converged();
    say(
      `followed: rows equal to render's ${seconds(created)} later, the time of render and of reading included`,
    );
    await eventually(async () => {
      const conditions = await plane.kubectl(["get", "anp", "-o", "jsonpath={.items[*].status.conditions}"]);
      expect(conditions.match(/"type":"Ready-In-Zone-global"/g)).toHaveLength(policies);
      expect(conditions.match(/"status":"True"/g)).toHaveLength(policies);
    }, 30_000);

    const asked = audit.requests().length;
    const before = await run.metrics();
    await sleep(5_000);
    const metrics = await run.metrics();
    expect(audit.tally(asked)).toEqual({});
    for (const name of ["northgate_source_requests_total", "northgate_nb_transactions_total"])
      expect(metrics.value(name)).toBe(before.value(name));
    const tally = audit.tally();
    say(`requests while everything was created: ${JSON.stringify(tally)}`);
    expect(tally["patch adminnetworkpolicies/status"]).toBe(policies);
    expect(tally["list pods"]).toBe(1);
    say(costs(metrics));
    await harness().end();

    const again = performance.now();
    const asksBefore = audit.requests().length;
    const second = harness().start();
    await second.ready(60_000);
    say(`a fresh start on all of it: ready after ${seconds(again)}`);
    await eventually(() => {
      expect(audit.tally(asksBefore)).toEqual({
        "list nodes": 1,
        "list namespaces": 2, // the system's own make it more than one page
        "list pods": pods / pageSize,
        "list adminnetworkpolicies": 1,
        "list baselineadminnetworkpolicies": 1,
        "list clusternetworkpolicies": 1,
        "watch nodes": 1,
        "watch namespaces": 1,
        "watch pods": 1,
        "watch adminnetworkpolicies": 1,
        "watch baselineadminnetworkpolicies": 1,
        "watch clusternetworkpolicies": 1,
      });
    });
    const fresh = await second.metrics();
    expect(fresh.value("northgate_nb_operations_total")).toBe(0);
    expect(fresh.value("northgate_writes_total", { kind: "status", outcome: "written" })).toBe(0);
    say(costs(fresh));
    await harness().converged();
  });
});
