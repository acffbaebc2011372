// An edit that is refused, as each view shows it while the version before it stays, and after it is repaired: the views agree,
// and no problem is left.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import type { Answer } from "../../src/explain/answer.ts";
import type { FindingsShown, PlanShown, PodShown, PoliciesShown, StateShown } from "../../src/ui/shown.ts";
import type { BoardShown } from "../../src/ui/shown/board.ts";
import type { NamespaceShown } from "../../src/ui/shown/namespace.ts";
import type { PolicyPageShown } from "../../src/ui/shown/policy.ts";
import { eventually } from "../support/eventually.ts";
import { namespaceOf, podOf, writeJson } from "../support/manifests.ts";
import { patience } from "../support/patience.ts";
import type { RunningUi } from "../support/ui.ts";
import { startUi } from "../support/ui.ts";

jest.setTimeout(patience(60_000));

let folder: string;
let ui: RunningUi;

const cluster = [namespaceOf("shop"), podOf("shop", "web", "10.0.0.1"), podOf("shop", "db", "10.0.0.2")];
const policy = (action: string) => [
  {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
    metadata: { name: "closed" },
    spec: {
      ...{ priority: 1, subject: { namespaces: {} } },
      // The second never decides.
      ingress: [action, "Allow"].map((one) => ({ action: one, from: [{ namespaces: {} }] })),
    },
  },
];
const write = (name: string, objects: readonly object[]) => {
  writeJson(join(folder, name), objects);
};
const key = "AdminNetworkPolicy.policy.networking.k8s.io/closed";
const get = async <T>(path: string): Promise<T> =>
  (await fetch(`${ui.address}/api/${path}`)).json() as Promise<T>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "northgate-ui-"));
  write("cluster.yaml", cluster);
  write("policy.yaml", policy("Deny"));
  ui = await startUi("-f", folder, "--plan-against", `dir:${folder}`);
});
afterAll(async () => {
  expect(await ui.end()).toBe(0);
  expect(ui.text()).toBe("");
  rmSync(folder, { recursive: true });
});

test("kept in every view", async () => {
  write("policy.yaml", policy("Nonsense"));
  await eventually(async () => {
    expect((await get<StateShown>("state")).problems.total).toBeGreaterThan(0);
  });
  const { policies } = await get<PoliciesShown>("policies");
  expect(policies).toMatchObject([{ state: "kept", rules: { ingress: 2, egress: 0 } }]);
  const { health, tiers } = await get<BoardShown>("board");
  expect([health.troubles.kept, tiers.flatMap((tier) => tier.policies.map(({ state }) => state))]).toEqual([
    1,
    ["kept"],
  ]);
  const own = await get<PolicyPageShown>(`policy?policy=${key}`);
  expect(own).toMatchObject({ policy: { state: "kept" }, rules: { ingress: { total: 2 } } });
  expect(own.problems.shown.map(({ field }) => field)).toEqual(["spec.ingress[0].action"]);
  expect((await get<NamespaceShown>("namespace?namespace=shop")).policies.shown).toMatchObject([
    { state: "kept", selected: 2 },
  ]);
  const told = await get<PodShown>("pod?pod=shop/web");
  expect(told.refused).toMatchObject([{ policy: { name: "closed" }, state: "kept" }]);
  expect(told.ingress).toMatchObject([{ rule: { action: "deny" } }, { rule: { action: "allow" } }]);
  const answer = await get<Answer>("explain?from=shop/web&to=shop/db&protocol=tcp&port=80");
  expect(answer.caveats.map(({ code }) => code)).toContain("NotRead");
  // Both worlds are the folder, with the same version kept: nothing differs.
  await eventually(async () => {
    expect(await get<PlanShown>("plan")).toMatchObject({
      isMaking: false,
      rows: { add: 0, change: 0, delete: 0 },
    });
  });
  expect((await get<PlanShown>("plan")).verdicts.total).toBe(0);
  await eventually(async () => {
    expect((await get<FindingsShown>("findings")).isMaking).toBe(false);
  });
});

test("a world that is made again from the objects knows the version that is kept", async () => {
  await eventually(async () => {
    const { isMaking, policies, revision } = await get<FindingsShown>(`findings?policy=${key}`);
    expect(isMaking).toBe(false);
    expect(revision).toBe((await get<StateShown>("state")).revision);
    // Found of its rule: without the version before there would be none.
    expect(policies.flatMap(({ findings }) => findings.map(({ rule }) => rule?.index))).toContain(1);
  });
});

test("nothing is left when it is repaired", async () => {
  write("policy.yaml", policy("Deny"));
  await eventually(async () => {
    const { problems, revision } = await get<StateShown>("state");
    expect([problems.total, revision]).toEqual([0, expect.any(String)]);
  });
  expect((await get<PoliciesShown>("policies")).policies).toMatchObject([{ state: "in force" }]);
  expect((await get<PodShown>("pod?pod=shop/web")).refused).toEqual([]);
});

test("a file that is no YAML is a problem until it is YAML again, and the page is told both times", async () => {
  const { revision: before } = await get<StateShown>("state");
  write("policy.yaml", []);
  writeFileSync(join(folder, "policy.yaml"), "{ no: [yaml");
  let during = "";
  await eventually(async () => {
    const { problems, revision } = await get<StateShown>("state");
    expect(problems.shown).toEqual([expect.stringContaining("policy.yaml")]);
    during = revision;
  });
  expect(during).not.toBe(before);
  write("policy.yaml", policy("Deny"));
  await eventually(async () => {
    expect((await get<StateShown>("state")).problems.total).toBe(0);
  });
  expect((await get<StateShown>("state")).revision).not.toBe(during);
});
