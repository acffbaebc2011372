// An edit that looks harmless and is not: a policy that allows DNS is removed in ten namespaces, where another one isolates every
// pod. What a reviewer must read: all pods of these namespaces come to be denied DNS, by which removal, and what that means.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import { northgate } from "../support/program.ts";
import type { Manifest } from "../support/manifests.ts";
import { namespaceOf, nodeOf, podOf, writeJson } from "../support/manifests.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-dns-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const homes = Array.from({ length: 10 }, (_, at) => `ns${at}`);
const egress = (namespace: string, name: string, rules: readonly unknown[]): Manifest => ({
  ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { namespace, name } },
  spec: { podSelector: {}, policyTypes: ["Egress"], egress: rules },
});
const toDns = {
  to: [
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    },
  ],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};
const deny = homes.map((home) => egress(home, "deny", []));
const dns = homes.map((home) => egress(home, "dns", [toDns]));

function serving(at: number): Manifest {
  const pod = podOf("kube-system", `coredns-${at}`, `10.1.0.${at + 1}`, { "k8s-app": "kube-dns" });
  const ports = [
    { name: "dns", protocol: "UDP", containerPort: 53 },
    { name: "dns-tcp", protocol: "TCP", containerPort: 53 },
  ];
  return { ...pod, spec: { nodeName: "n", containers: [{ name: "coredns", ports }] } };
}

/** 1,000 pods in ten namespaces, and three that serve DNS. */
function cluster(): readonly Manifest[] {
  const pods = homes.flatMap((home, number) =>
    Array.from({ length: 100 }, (_, at) =>
      podOf(home, `app-${at}`, `10.0.${number}.${at + 1}`, { app: `a${at % 4}` }),
    ),
  );
  const system = namespaceOf("kube-system", { "kubernetes.io/metadata.name": "kube-system" });
  return [nodeOf("n"), system, ...homes.map((home) => namespaceOf(home)), ...[0, 1, 2].map(serving), ...pods];
}

function worlds(): readonly string[] {
  const [old, next] = ["old.yaml", "new.yaml"].map((name) => join(folder, name));
  if (old === undefined || next === undefined) throw new Error("two files");
  writeJson(old, [...cluster(), ...deny, ...dns]);
  writeJson(next, [...cluster(), ...deny]);
  return ["-f", next, "--against", `dir:${old}`];
}

const lines = [
  "NEWLY DENIED   all 1,000 pods of 10 namespaces → kube-system k8s-app=kube-dns   udp 53, tcp 53",
  "               NetworkPolicy dns was removed in 10 namespaces; deny isolates them",
  "               DNS lost: none of these pods reaches a DNS server over udp 53 or tcp 53",
  "",
  "Edited         - NetworkPolicy dns in 10 namespaces",
  "",
];

test("the lines that a reviewer reads, and a gate that names DNS", () => {
  const { code, stdout, stderr } = northgate("plan", ...worlds(), "--fail-on", "allow-to-deny");
  expect(stdout.split("\n")).toEqual(lines);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^northgate: --fail-on allow-to-deny: 1 newly denied, DNS lost$/m);
});

test("the comment on a pull request has the same, and no rows; JSON has rows and every pod", () => {
  const { stdout } = northgate("plan", ...worlds(), "-o", "markdown");
  expect(stdout).toMatch(/^### Network policy plan: 1 newly denied, DNS lost\n/);
  expect(stdout).not.toContain("Rows");
  const { rows, verdicts } = JSON.parse(northgate("plan", ...worlds(), "-o", "json").stdout) as PlanReport;
  expect(rows.delete).toBeGreaterThan(10);
  expect(verdicts.changes.map(({ from, to }) => [from.pods.length, to.pods.length])).toEqual([[1000, 3]]);
  expect(verdicts.summary).toMatchObject([
    { change: "denied", classes: [0], effects: [{ code: "DNS" }], isExcerpt: false },
  ]);
});

test("the example of the documentation is the same edit", () => {
  const example = "examples/lost-dns";
  const edit = ["-f", `${example}/after`, "--against", `dir:${example}/before`];
  const { code, stdout, stderr } = northgate("plan", ...edit, "--fail-on", "allow-to-deny");
  const [first, ...rest] = lines;
  expect(stdout.split("\n")).toEqual([first?.replace("1,000", "20"), ...rest]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^northgate: --fail-on allow-to-deny: 1 newly denied, DNS lost$/m);
});

const made: Manifest = { apiVersion: "apps/v1", kind: "Deployment" };

function deployment(
  namespace: string,
  name: string,
  labels: Manifest,
  ports: readonly unknown[] = [],
): Manifest {
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", ports }] } };
  return { ...made, metadata: { namespace, name }, spec: { selector: { matchLabels: labels }, template } };
}

test("Deployments of a repository lose DNS as pods do, whether DNS is a Deployment or a pod", () => {
  const system = namespaceOf("kube-system", { "kubernetes.io/metadata.name": "kube-system" });
  const ports = [
    { name: "dns", protocol: "UDP", containerPort: 53 },
    { name: "dns-tcp", protocol: "TCP", containerPort: 53 },
  ];
  const coredns = deployment("kube-system", "coredns", { "k8s-app": "kube-dns" }, ports);
  const apps = homes.flatMap((home) => ["a", "b"].map((app) => deployment(home, `app-${app}`, { app })));
  const repository = [system, ...homes.map((home) => namespaceOf(home)), ...apps];
  const [old, next] = ["workloads-old.yaml", "workloads-new.yaml"].map((name) => join(folder, name));
  if (old === undefined || next === undefined) throw new Error("two files");
  for (const [server, title] of [
    [coredns, "kube-system/coredns (Deployment)"],
    [serving(0), "kube-system k8s-app=kube-dns"],
  ] as const) {
    writeJson(old, [...repository, server, ...deny, ...dns]);
    writeJson(next, [...repository, server, ...deny]);
    const compared = ["-f", next, "--against", `dir:${old}`];
    const { code, stdout, stderr } = northgate("plan", ...compared, "--fail-on", "allow-to-deny");
    expect(stdout.split("\n")).toEqual([
      `NEWLY DENIED   all 20 workloads of 10 namespaces → ${title}   udp 53, tcp 53`,
      lines[1],
      "               DNS lost: none of these workloads reaches a DNS server over udp 53 or tcp 53",
      ...lines.slice(3),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^northgate: --fail-on allow-to-deny: 1 newly denied, DNS lost$/m);
  }
});

test("with one namespace that keeps its policy, the others alone", () => {
  const next = join(folder, "kept.yaml");
  const args = worlds();
  writeJson(next, [...cluster(), ...deny, ...dns.slice(0, 1)]);
  const { stdout } = northgate("plan", "-f", next, ...args.slice(2));
  expect(stdout).toContain("all 900 pods of 9 namespaces → kube-system k8s-app=kube-dns");
  expect(stdout).toContain("NetworkPolicy dns was removed in 9 namespaces; deny isolates them");
});
