// `northgate recommend` on the three-tier example and a record of its traffic: what it prints changes nothing of the record, and allows
// nothing else within the namespace.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import type { CanReport } from "../../src/can/report.ts";
import type { FlowRecord } from "../../src/observe/record/record.ts";
import type { RecommendReport } from "../../src/recommend/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const cluster = at("examples/clusters/01-three-tiers/cluster.yaml");
const flows = at("test/recommend/three-tiers.json");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-recommend-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The record of the example, without what was denied. */
function allowedAlone(): string {
  const record = JSON.parse(readFileSync(flows, "utf8")) as FlowRecord;
  const path = join(folder, "allowed.json");
  const connections = record.connections.filter(({ verdict }) => verdict === "allow");
  writeFileSync(path, JSON.stringify({ ...record, connections }));
  return path;
}

function recordOf(...connections: readonly object[]): string {
  const path = join(folder, "flows.json");
  const time = "2026-11-28T05:00:00.000Z";
  const missed = { lost: 0, undirected: 0, beyondLimit: 0 };
  const whole = connections.map((one) => ({
    ...{ protocol: "tcp", connections: 1, verdict: "allow", first: time, last: time },
    ...one,
  }));
  const value = {
    schema: "northgate.flows/1",
    since: time,
    until: time,
    notes: [],
    missed,
    connections: whole,
  };
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const pod = (name: string, ip: string) => ({ ip, pod: { namespace: "shop", name } });
const [web, db] = [pod("web", "10.0.0.1"), pod("db", "10.0.0.2")];
const small = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "web", "10.0.0.1", { app: "shop" })],
  podOf("shop", "db", "10.0.0.2", { app: "shop", tier: "db" }),
];
const reported = (world: readonly Manifest[], record: string, ...flags: readonly string[]) => {
  const ran = northgate(
    ...["recommend", "-f", written(folder, "world", ...world), "--flows", record, "-o", "json", ...flags],
  );
  return { ...ran, report: JSON.parse(ran.stdout === "" ? "{}" : ran.stdout) as RecommendReport };
};

test("three tiers: plan finds no change of the record, and can finds nothing else within the namespace", () => {
  const record = allowedAlone();
  const ran = northgate("recommend", "-f", cluster, "--flows", record, "-n", "shop");
  expect(ran).toMatchObject({ code: 0, stderr: "northgate: 16 recorded connections, none changes\n" });
  const policies = join(folder, "shop.yaml");
  writeFileSync(policies, ran.stdout);
  const names = parseAllDocuments(ran.stdout).map((one) => one.getIn(["metadata", "name"]));
  const parts = ["default-deny", "api", "db", "report", "web"];
  expect(names).toEqual(parts.map((part) => `recommended-${part}`));
  const planned = northgate(
    ...["plan", "-f", cluster, "-f", policies, "--against", `dir:${cluster}`, "--flows", record],
    ...["--fail-on", "allow-to-deny", "--fail-on", "deny-to-allow", "-o", "json"],
  );
  expect(planned.code).toBe(0);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    flows: { recorded: { flows: 16 }, changed: { flows: 0 }, unjudged: [] },
  });
  const can = northgate(
    ...["can", "-f", cluster, "-f", policies, "--from", "shop/*", "--to", "shop/*", "-o", "json"],
  );
  const { groups } = JSON.parse(can.stdout) as CanReport;
  const allowed = groups.filter(({ verdict }) => verdict === "allow");
  const endsOf = ({ workloads }: (typeof allowed)[number]["from"]) =>
    workloads.map(({ name }) => name).join();
  expect(
    allowed.map(({ from, to, traffic }) => `${endsOf(from)} ${endsOf(to)} ${JSON.stringify(traffic)}`).sort(),
  ).toMatchInlineSnapshot(`
   [
     "api db [{"protocol":"tcp","ports":[[5432,5432]]}]",
     "db db [{"protocol":"tcp","ports":[[5432,5432]]}]",
     "web api [{"protocol":"tcp","ports":[[8080,8080]]}]",
   ]
  `);
});

test("what was denied when it was seen is left out, and that it would change is exit code 1", () => {
  const ran = northgate("recommend", "-f", cluster, "--flows", flows, "-n", "shop", "-o", "json");
  const { coverage, proof } = JSON.parse(ran.stdout) as RecommendReport;
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("17 recorded connections, 1 would change");
  expect(coverage.leftOut.map(({ to, why }) => [to.pod?.name, why])).toEqual([
    ["db-0", "it was denied when it was seen"],
  ]);
  expect(proof.changes.map(({ old, new: next }) => [old, next])).toEqual([["allow", "deny"]]);
});

test("labels that others have too are told apart, and names of policies that exist are left alone", () => {
  const taken = isolating("shop", "recommended-web", { app: "other" });
  const { report, code } = reported([...small, taken], recordOf({ from: db, to: web, port: 80 }));
  expect(code).toBe(0);
  const [, own, other] = report.policies;
  expect([own?.metadata.name, other?.metadata.name]).toEqual(["recommended-db", "recommended-web-2"]);
  expect(other?.spec.podSelector).toEqual({
    matchLabels: { app: "shop" },
    matchExpressions: [{ key: "tier", operator: "DoesNotExist" }],
  });
  expect(report.coverage.namespaces[0]?.existing).toEqual(["recommended-web"]);
});

test("a deny by another policy, and what a NetworkPolicy cannot say, are named with why", () => {
  const { report, code } = reported(
    [...small, isolating("shop", "closed", { tier: "db" })],
    recordOf(
      { from: web, to: db, port: 5432, connections: 9 },
      { from: db, to: web, protocol: "icmp", port: null },
      { from: db, to: pod("gone", "10.0.0.9"), port: 1 },
    ),
  );
  expect(code).toBe(1);
  expect(report.coverage.leftOut.map(({ why }) => why)).toEqual([
    "policies deny it today",
    "rules of a NetworkPolicy have no ICMP beside ports",
    "pod shop/gone is not there",
  ]);
  expect(report.coverage.namespaces).toEqual([]);
  expect(report.policies).toEqual([]);
});

test("many addresses outside are networks, without the addresses of pods", () => {
  const many = Array.from({ length: 200 }, (_, at) => ({
    ...{ from: { ip: `10.0.${at % 5}.${50 + at}`, pod: null }, to: web, port: 443 },
  }));
  const { report, code } = reported(small, recordOf(...many));
  expect(code).toBe(0);
  const { widened } = report.coverage;
  expect(widened).toMatchObject([{ policy: "recommended-web", direction: "ingress", addresses: 200 }]);
  const rules = report.policies[1]?.spec.ingress ?? [];
  const blocks = rules.flatMap(({ from = [] }) => from.flatMap(({ ipBlock }) => ipBlock ?? []));
  expect(blocks.length).toBeLessThanOrEqual(32);
  expect(blocks.map(({ cidr }) => cidr)).toEqual(widened[0]?.networks);
  expect(blocks.filter(({ cidr }) => cidr.startsWith("10.0.0.0/"))).toMatchObject([
    { except: ["10.0.0.1/32", "10.0.0.2/32"] },
  ]);
});

test("usage, and what is not there", () => {
  expect(northgate("recommend", "-f", cluster)).toMatchObject({ code: 2, stdout: "" });
  const unknown = northgate("recommend", "-f", cluster, "--flows", flows, "-n", "none");
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toContain('there is no namespace "none"');
  expect(northgate("recommend", "-f", cluster, "--flows", join(folder, "no.json"))).toMatchObject({
    code: 1,
  });
});
