// `northgate plan --staged`: the world in which staged policies are in force, held against that in which they are not. Without the
// flag they are left alone.

import { expect, test } from "@jest/globals";
import type { PlanReport } from "../../src/plan/report.ts";
import type { Manifest } from "../support/manifests.ts";
import { written } from "../support/manifests.ts";
import { northgate } from "../support/program.ts";
import { apiVersion, stagedFacts, stagedFolder } from "../support/staged.ts";

const folder = stagedFolder();

const selector = "projectcalico.org/namespace == 'shop'";
const denying: Manifest = {
  ...{ apiVersion, kind: "GlobalNetworkPolicy", metadata: { name: "walls" } },
  spec: { selector, ingress: [{ action: "Deny" }] },
};
const staged = (name: string, spec: object): Manifest => ({
  ...{ apiVersion, kind: "StagedGlobalNetworkPolicy", metadata: { name } },
  spec,
});
const kubernetes: Manifest = {
  ...{ apiVersion, kind: "StagedKubernetesNetworkPolicy", metadata: { name: "closed", namespace: "shop" } },
  spec: { podSelector: {}, policyTypes: ["Ingress"] },
};

/** Of one folder of manifests against itself. */
function planned(flags: readonly string[], ...manifests: readonly Manifest[]) {
  const path = written(folder, "all", ...stagedFacts, ...manifests);
  const given = ["-f", path, "--against", `dir:${path}`, "--policy-model", "calico", "-o", "json", ...flags];
  const { code, stdout, stderr } = northgate("plan", ...given);
  const { objects, verdicts, rows } = JSON.parse(stdout) as PlanReport;
  const named = (sign: string, refs: readonly { readonly kind: string; readonly name: string }[]) =>
    refs.map(({ kind, name }) => `${sign} ${kind} ${name}`);
  return {
    ...{ code, stderr, rows: rows.changes.length > 0 },
    objects: [...named("+", objects.added), ...named("~", objects.changed), ...named("-", objects.removed)],
    turns: [...new Set(verdicts.changes.map((one) => `${one.old} ${one.new}`))],
  };
}

const nothing = { code: 0, objects: [], turns: [], rows: false };

test("one that is set is in force in the new world alone", () => {
  const one = staged("walls", { selector, ingress: [{ action: "Deny" }] });
  expect(planned(["--staged"], one)).toMatchObject({
    ...{ code: 2, stderr: "", objects: ["+ GlobalNetworkPolicy walls"], turns: ["allow deny"], rows: true },
  });
  expect(planned([], one)).toMatchObject({ ...nothing, stderr: expect.stringContaining("left alone") });
});

test("it replaces the policy of its name", () => {
  const one = staged("walls", { stagedAction: "Set", selector, ingress: [{ action: "Allow" }] });
  expect(planned(["--staged"], denying, one)).toMatchObject({
    ...{ code: 2, stderr: "", objects: ["~ GlobalNetworkPolicy walls"], turns: ["deny allow"], rows: true },
  });
});

test("one that deletes takes the policy of its name away; one that learns or is ignored does nothing", () => {
  expect(planned(["--staged"], denying, staged("walls", { stagedAction: "Delete" }))).toMatchObject({
    ...{ code: 2, stderr: "", objects: ["- GlobalNetworkPolicy walls"], turns: ["deny allow"], rows: true },
  });
  const others = ["Learn", "Ignore"].map((stagedAction, at) => staged(`p${at}`, { stagedAction, selector }));
  expect(planned(["--staged"], denying, ...others)).toMatchObject({ ...nothing, stderr: "" });
});

test("a NetworkPolicy of Kubernetes", () => {
  expect(planned(["--staged"], kubernetes)).toMatchObject({
    ...{ code: 2, stderr: "", objects: ["+ NetworkPolicy closed"], turns: ["allow deny"], rows: true },
  });
});

test("a mistake in one is an error where it is written", () => {
  const wrong = staged("p", { ingress: [{ action: "Drop" }] });
  const unknown = staged("q", { stagedAction: "Replace" });
  const { code, stderr } = planned(["--staged"], wrong, unknown);
  expect(code).toBe(1);
  expect(stderr).toMatch(/all\S*:\d+: error: GlobalNetworkPolicy p: spec\.ingress\[0\]\.action/);
  expect(stderr).toMatch(/all\S*:\d+: error: StagedGlobalNetworkPolicy q: spec\.stagedAction: must be Set/);
});

test("manifests without staged policies are lent none", () => {
  const old = written(
    folder,
    "old",
    ...stagedFacts,
    staged("walls", { selector, ingress: [{ action: "Deny" }] }),
  );
  const next = written(folder, "new", ...stagedFacts);
  const flags = ["--policy-model", "calico", "--staged", "-o", "json"];
  expect(northgate("plan", "-f", next, "--against", `dir:${old}`, ...flags)).toMatchObject({
    code: 0,
    stderr: "",
  });
});
