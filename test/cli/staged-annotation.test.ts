// The annotation northgate.io/staged: commands treat such a policy as not there and say so, and `plan --staged` says what it would do.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-staged-annotation-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const facts = [
  ...[namespaceOf("shop"), nodeOf("n"), podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2")],
];
const closed = isolating("shop", "closed", { app: "db" });
const admin: Manifest = {
  ...{
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    metadata: { name: "no" },
  },
  spec: {
    ...{ priority: 5, subject: { namespaces: {} } },
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  },
};

function staged(manifest: Manifest, value = "true"): Manifest {
  const metadata = manifest["metadata"] as object;
  return { ...manifest, metadata: { ...metadata, annotations: { "northgate.io/staged": value } } };
}

const said = "northgate: staged, and not in force: AdminNetworkPolicy no, NetworkPolicy shop/closed";
const end = ["--from", "shop/web", "--to", "shop/db", "--protocol", "tcp", "--port", "5432", "-o", "json"];

test("render, explain, get and lint treat it as not there, and say so", () => {
  const both = written(folder, "both", ...facts, staged(closed), staged(admin));
  const none = written(folder, "none", ...facts);
  const rows = northgate("render", "-f", both, "-o", "json");
  expect(rows.stdout).toBe(northgate("render", "-f", none, "-o", "json").stdout);
  const explained = northgate("explain", "-f", both, ...end);
  expect(JSON.parse(explained.stdout)).toMatchObject({ verdict: "allow" });
  const got = northgate("get", "-f", both, "-o", "json");
  expect(JSON.parse(got.stdout)).toEqual(JSON.parse(northgate("get", "-f", none, "-o", "json").stdout));
  const linted = northgate("lint", "-f", both, "-o", "json");
  expect(JSON.parse(linted.stdout)).toEqual(JSON.parse(northgate("lint", "-f", none, "-o", "json").stdout));
  for (const { stderr } of [rows, explained, got, linted]) expect(stderr.split("\n")).toContain(said);
});

test("an unknown value is a warning that names the field, and the policy is in force", () => {
  const path = written(folder, "unknown", ...facts, staged(closed, "yes"));
  const { code, stdout, stderr } = northgate("explain", "-f", path, ...end);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: "deny" });
  expect(stderr).toMatch(
    /all\.yaml:\d+: warning: NetworkPolicy shop\/closed: metadata\.annotations\["northgate\.io\/staged"\]: must be "true" or "false", not "yes"/,
  );
});

test("a network plugin enforces it all the same", () => {
  const path = written(folder, "plugin", ...facts, staged(closed));
  const { stdout, stderr } = northgate("explain", "-f", path, "--cni", "calico", ...end);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: "deny" });
  expect(stderr).toContain("has no effect: another program enforces the policy");
});

test("plan --staged says what it would change, by count of recorded connections, too; staging one is an edit", () => {
  const path = written(folder, "plan", ...facts, staged(closed));
  const flows = join(folder, "flows.json");
  const time = "2026-11-28T05:00:00.000Z";
  const pod = (name: string, ip: string) => ({ ip, pod: { namespace: "shop", name } });
  const flow = { from: pod("web", "10.0.0.1"), to: pod("db", "10.0.0.2"), protocol: "tcp", port: 5432 };
  const missed = { lost: 0, undirected: 0, beyondLimit: 0 };
  const connections = [{ ...flow, connections: 12, verdict: "allow", first: time, last: time }];
  const record = { schema: "northgate.flows/1", since: time, until: time, notes: [], missed, connections };
  writeFileSync(flows, JSON.stringify(record));
  const plan = (given: string, old: string, ...more: readonly string[]) => {
    const { code, stdout, stderr } = northgate(
      ...["plan", "-f", given, "--against", `dir:${old}`, "-o", "json", "--flows", flows, ...more],
    );
    return { code, stderr, report: JSON.parse(stdout) as PlanReport };
  };
  expect(plan(path, path)).toMatchObject({ code: 0, report: { flows: { changed: { flows: 0 } } } });
  const tried = plan(path, path, "--staged");
  expect(tried).toMatchObject({
    code: 2,
    report: {
      objects: { changed: [{ kind: "NetworkPolicy", name: "closed" }] },
      flows: { changed: { flows: 1, connections: 12 }, changes: [{ old: "allow", new: "deny" }] },
    },
  });
  const inForce = written(folder, "in-force", ...facts, closed);
  const edited = plan(path, inForce);
  expect(edited.report.verdicts.changes.map((one) => `${one.old} ${one.new}`)).toEqual(["deny allow"]);
});
