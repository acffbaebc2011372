// What `northgate plan --against dir:OLD` takes from OLD: kind by kind what the manifests have none of, and the Namespaces
// without which nothing would select the pods. A change is never hidden by what stands beside it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { isolating, namespaceOf, nodeOf, podOf, written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ng-lending-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const facts = [
  ...[namespaceOf("shop"), namespaceOf("empty"), nodeOf("n")],
  ...[podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2")],
];
const deny = isolating("shop", "deny", { app: "db" });
const service: Manifest = {
  ...{ apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name: "db" } },
  spec: { clusterIP: "10.96.0.9", selector: { app: "db" }, ports: [{ port: 5432 }] },
};
const antrea = "crd.antrea.io/v1beta1";
const ofService: Manifest = {
  ...{ apiVersion: antrea, kind: "ClusterGroup", metadata: { name: "db" } },
  spec: { serviceReference: { namespace: "shop", name: "db" } },
};
const tier: Manifest = {
  apiVersion: antrea,
  kind: "Tier",
  metadata: { name: "first" },
  spec: { priority: 9 },
};
const guard: Manifest = {
  ...{ apiVersion: antrea, kind: "ClusterNetworkPolicy", metadata: { name: "guard" } },
  spec: {
    ...{ tier: "first", priority: 5, appliedTo: [{ group: "db" }] },
    ingress: [{ action: "Drop", from: [{ namespaceSelector: {} }] }],
  },
};

/** The exit code, what standard error has, and the report. */
function planned(old: readonly Manifest[], next: readonly Manifest[]) {
  const [was, is] = [written(folder, "old", ...old), written(folder, "new", ...next)];
  const ran = northgate("plan", "-f", is, "--against", `dir:${was}`, "-o", "json");
  const report = JSON.parse(ran.stdout) as PlanReport;
  return { ...ran, report, objects: objectsOf(report), turns: turnsOf(report) };
}

function objectsOf({ objects }: PlanReport): readonly string[] {
  const names = (sign: string, refs: readonly { readonly kind: string; readonly name: string }[]) =>
    refs.map(({ kind, name }) => `${sign} ${kind} ${name}`);
  return [...names("+", objects.added), ...names("~", objects.changed), ...names("-", objects.removed)];
}

function turnsOf({ verdicts }: PlanReport): readonly string[] {
  return verdicts.changes.map((one) => `${one.old} → ${one.new}`);
}

const lent = (kinds: string) =>
  `northgate: the manifests have no ${kinds}: those of the other world are used\n`;
const lentNamespaces = (names: string) =>
  `northgate: Namespaces of the other world are used, which the manifests lack: ${names}\n`;

test("policies alone: every kind is lent, and named", () => {
  const ran = planned([...facts, service, ofService, tier, guard], [guard, deny]);
  expect(ran.stderr).toBe(lent("Pod, Namespace, Node, ClusterGroup, Service or Tier"));
  expect(ran.objects).toEqual(["+ NetworkPolicy deny"]);
});

test("an unchanged policy whose group is a Service's changes no verdict, and no Service is removed", () => {
  const ran = planned([...facts, service, ofService, tier, guard], [ofService, tier, guard]);
  expect([ran.code, ran.objects, ran.turns]).toEqual([0, [], []]);
  expect(ran.stderr).toBe(lent("Pod, Namespace, Node or Service"));
});

test("a Namespace beside the policies hides neither the pods nor the Namespaces of the other world", () => {
  const added = namespaceOf("new", { team: "x" });
  const ran = planned(facts, [added, deny]);
  expect([ran.code, ran.objects]).toEqual([2, ["+ Namespace new", "+ NetworkPolicy deny"]]);
  expect(ran.turns).toEqual(["allow → deny"]);
  expect(ran.stderr).toBe(lent("Pod or Node") + lentNamespaces("empty, shop"));
});

test("a Namespace of the same name is the manifests' own: an edit of its labels is seen", () => {
  const ran = planned(facts, [namespaceOf("shop", { team: "x" }), deny]);
  expect(ran.objects).toEqual(["+ NetworkPolicy deny", "~ Namespace shop"]);
  expect(ran.stderr).toBe(lent("Pod or Node") + lentNamespaces("empty"));
});

test("manifests with Pods are a whole world: only the Namespaces in which their objects live are lent", () => {
  const ran = planned(facts, [namespaceOf("new"), podOf("shop", "web", "10.0.0.1"), deny]);
  expect(ran.objects).toEqual([
    ...["+ Namespace new", "+ NetworkPolicy deny"],
    ...["- Namespace empty", "- Pod db"],
  ]);
  expect(ran.stderr).toBe(lent("Node") + lentNamespaces("shop"));
});

test("two whole worlds lend nothing: what is removed is removed", () => {
  const ran = planned(
    [...facts, service, deny],
    [namespaceOf("shop"), nodeOf("n"), ...facts.slice(3), service],
  );
  expect(ran.objects).toEqual(["- NetworkPolicy deny", "- Namespace empty"].sort());
  expect([ran.stderr, ran.turns]).toEqual(["", ["deny → allow"]]);
});
