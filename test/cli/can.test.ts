// `northgate can` as a user runs it: what is printed of the sample, as a table and as JSON, what cannot be asked, and exit codes.

import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patience } from "../support/patience.ts";
import { northgate } from "../support/program.ts";

jest.setTimeout(patience(120_000));

const sample = "examples/cluster-control";
const splunk = "splunk/splunk-5f8c6d9f7b-7jx2p";
const reach = (...args: readonly string[]) => northgate("can", "reach", "-f", sample, ...args);

describe("the sample", () => {
  test("two ends outside of the cluster have no connection that is asked about", () => {
    const { code, stdout } = reach("--from", "8.8.8.8", "--to", "1.1.1.1");
    expect(code).toBe(0);
    expect(stdout).toContain("\nthe two have no connection that policies could be about\n");
  });

  test("as a table: allowed before denied, each with who and why", () => {
    const { code, stdout, stderr } = reach("--to", splunk, "--port", "8991");
    const policies = `${sample}/policies/cluster-control.yaml`;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").slice(0, 11)).toEqual([
      `who can reach ${splunk} 10.244.2.6, tcp 8991`,
      "",
      "ALLOWED  1 pod of 1 workload, addresses that no pod has",
      "  1 pod         ingress-nginx/[app=ingress-nginx]",
      `    egress    AdminNetworkPolicy cluster-control egress[2] "allow-to-splunk" Allow  ${policies}:70`,
      `    ingress   AdminNetworkPolicy cluster-control ingress[0] "allow-from-ingress-nginx" Allow  ${policies}:11`,
      "",
      "  addresses     every IPv4 address that no pod has",
      "    egress    policies do not apply to this end",
      "    ingress   no policy decides: allowed by default",
      "",
    ]);
    expect(stdout).toContain("DENIED  6 pods of 3 workloads\n");
  });

  test("as JSON, of every port", () => {
    const { code, stdout } = reach("--from", splunk, "-o", "json");
    const report: unknown = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      schema: "northgate.can/1",
      question: { from: splunk, to: null, protocol: null, port: null },
      from: { kind: "pod", pod: splunk, ips: ["10.244.2.6"] },
    });
    expect(report).toMatchObject({
      groups: expect.arrayContaining([
        expect.objectContaining({
          verdict: "deny",
          traffic: [{ protocol: "udp", ports: [[5353, 5353]] }],
          to: expect.objectContaining({ pods: 2 }),
        }),
      ]),
    });
  });

  test("all of it", () => {
    const { code, stdout } = reach("--all", "--protocol", "udp", "--port", "53");
    expect(code).toBe(0);
    expect(stdout).toContain("who can reach what, udp 53\n\nALLOWED  2 groups\n");
  });
});

describe("a repository of Deployments alone", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-can-"));
    const of = (kind: string, name: string, port: number) => ({
      ...{ apiVersion: "apps/v1", kind, metadata: { name, namespace: "shop" } },
      spec: {
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: [{ name: "c", ports: [{ name: "main", containerPort: port }] }] },
        },
      },
    });
    const policy = (name: string, spec: object) => ({
      ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name, namespace: "shop" } },
      spec,
    });
    const to = (app: string) => ({ podSelector: { matchLabels: { app } } });
    const items = [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      ...[of("Deployment", "web", 8080), of("StatefulSet", "db", 5432), of("Deployment", "batch", 9000)],
      policy("deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
      policy("web", {
        ...to("web"),
        egress: [{ to: [to("db")] }, { to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }],
      }),
      policy("db", { ...to("db"), ingress: [{ from: [to("web")], ports: [{ port: "main" }] }] }),
      policy("batch", { ...to("batch"), ingress: [{}] }),
      {
        ...{ apiVersion: "v1", kind: "Service", metadata: { name: "db", namespace: "shop" } },
        spec: { selector: { app: "db" }, ports: [{ name: "pg", port: 1, targetPort: "main" }] },
      },
    ];
    writeFileSync(join(folder, "all.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const asks = (...args: readonly string[]) => northgate("can", "reach", "-f", folder, ...args);

  test("has an answer, and says what an address that nobody knows leaves open", () => {
    const { code, stdout, stderr } = asks("-n", "shop", "--from", "deploy/web", "--port", "main");
    expect([code, stderr]).toEqual([0, ""]);
    expect(
      stdout
        .replaceAll(`  ${join(folder, "all.json")}:1`, "")
        .split("\n")
        .slice(0, 14),
    ).toEqual([
      "what deploy/web can reach, tcp main",
      "",
      "ALLOWED  1 workload without pods",
      "  workload      shop/db (StatefulSet)",
      "    traffic   tcp 5432",
      "    egress    NetworkPolicy shop/web egress[0] Allow",
      "    ingress   NetworkPolicy shop/db ingress[0] Allow",
      "",
      "CANNOT TELL  1 workload without pods",
      "  workload      shop/batch (Deployment)",
      "    traffic   tcp 9000",
      "    ingress   NetworkPolicy shop/batch ingress[0] Allow",
      "    why       NoAddress: the pods of the workload are not among the objects, so their addresses and nodes are unknown: " +
        "the verdict depends on them (NetworkPolicy shop/deny, NetworkPolicy shop/web egress[1])",
      "",
    ]);
  });

  test("of a Service says first who reaches all of it and none", () => {
    const { code, stdout } = asks("--to", "shop/svc/db:pg");
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 11)).toEqual([
      "who can reach shop/svc/db:pg (1 workload without pods), any protocol",
      "",
      "REACH ALL  1 workload without pods",
      "  workload      shop/web (Deployment)",
      "    traffic   tcp 5432",
      "",
      "REACH NONE  2 workloads without pods, addresses that no pod has",
      "  workload      shop/batch (Deployment)",
      "  workload      shop/db (StatefulSet)",
      "  addresses     every IPv4 address that no pod has",
      "    traffic   tcp 5432",
    ]);
  });

  test("as JSON has them apart from pods", () => {
    const { stdout } = asks("--from", "shop/*", "--to", "shop/db", "--port", "5432", "-o", "json");
    expect(stdout).toBe("");
    const report: unknown = JSON.parse(
      asks("--from", "shop/*", "--to", "shop/sts/db", "--port", "5432", "-o", "json").stdout,
    );
    expect(report).toMatchObject({
      from: { kind: "pods", members: { pods: 0, workloads: [{ of: 0 }, { of: 0 }, { of: 0 }] } },
      to: { kind: "workload", workload: { kind: "StatefulSet", name: "db" } },
      reach: [{ reach: "some", ends: { pods: 0 }, allowed: { pods: 0, workloads: [{ name: "web" }] } }],
    });
  });

  test("is a matrix of its namespace", () => {
    const { code, stdout } = northgate("matrix", "-f", folder, "-n", "shop", "--port", "main");
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 7)).toEqual([
      "workloads of shop against each other, tcp main",
      "",
      "from ╲ to                shop/batch (Deployment)  shop/db (StatefulSet)  shop/web (Deployment)",
      "shop/batch (Deployment)  ○                        ○                      ○",
      "shop/db (StatefulSet)    ○                        ○                      ○",
      "shop/web (Deployment)    ?                        ●                      ○",
      "(outside)                ●                        ○                      ○",
    ]);
  });
});

describe("what cannot be asked", () => {
  test.each([
    [1, /^northgate: .*there is no pod "splunk\/nobody"/, ["--to", "splunk/nobody"]],
    [2, /--to END \(who can reach it\), --from END \(what it can reach\) or --all is needed/, []],
    [2, /--all and --to: use only one of them/, ["--all", "--to", splunk]],
    [2, /icmp has no ports/, ["--to", splunk, "--protocol", "icmp", "--port", "1"]],
    [2, /"70000" is not a port/, ["--to", splunk, "--port", "70000"]],
  ])("exit code %i: %s", (expected, message, args) => {
    const { code, stdout, stderr } = reach(...args);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("a folder of its own", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ng-can-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test("pods are counted by what controls them, and an object that is refused is exit code 1", () => {
    const podOf = (name: string, ip: string) => ({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: {
        ...{ name, namespace: "shop", labels: { app: "web", "pod-template-hash": "abc12" } },
        ownerReferences: [{ kind: "ReplicaSet", name: "web-abc12", controller: true }],
      },
      spec: { nodeName: "n" },
      status: { podIPs: [{ ip }] },
    });
    const policy = {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "p", namespace: "shop" },
      spec: 7,
    };
    const items = [podOf("web-1", "10.0.0.1"), podOf("web-2", "10.0.0.2"), policy];
    writeFileSync(join(folder, "all.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const { code, stdout } = northgate("can", "reach", "-f", folder, "--to", "shop/web-1", "--port", "80");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "CANNOT TELL  1 pod of 1 workload, addresses that no pod has\n  1 of 2 pods   shop/web (Deployment)\n",
    );
    expect(stdout).toMatch(/why {7}NotRead: NetworkPolicy shop\/p is refused/);
  });
});
