// Who decides, as a user is told: rule, isolation, default and tie, what passed and what lost, and a kind of policy that no
// shared code knows. What the verdicts are is judged in walks.test.ts and in test/proof.

import { describe, expect, test } from "@jest/globals";
import { allow, answered, deny, pass, toDb, webToDb, worldOf } from "../../test/support/asked-world.ts";
import { anp, banp, cnp, namespacesWith, np } from "../../test/support/policies.ts";
import { teamKind, toyDialect } from "../../test/support/toy-dialect.ts";
import { everyDialect } from "../dialects.ts";
import type { ReferencedObject, WorldObject } from "../model/object.ts";
import type { Side } from "./answer.ts";
import { explain } from "./explain.ts";

function named({ policy, rule, by }: Pick<Side, "policy" | "rule" | "by">): string {
  return [by, policy?.name, rule && `${rule.direction}[${rule.index}]`].filter(Boolean).join(" ");
}

describe("who decides", () => {
  test.each<readonly [string, readonly WorldObject[], string, string]>([
    ["nobody", [], "default", "allow"],
    ["a rule", [anp("p", { egress: [allow, deny] })], "rule p egress[0]", "allow"],
    [
      "behind a pass",
      [anp("p", { egress: [pass] }), banp({ egress: [deny] })],
      "rule default egress[0]",
      "deny",
    ],
    ["isolation", [np("n", { podSelector: {}, policyTypes: ["Egress"] }, "red")], "isolation n", "deny"],
    ["a tie", [anp("p", { egress: [allow] }), anp("q", { egress: [deny] })], "tie", "unknown"],
    [
      "two that say the same",
      [anp("p", { egress: [deny] }), anp("q", { egress: [deny] })],
      "rule p egress[0]",
      "deny",
    ],
  ])("%s", (_, objects, by, verdict) => {
    const answer = answered(objects);
    expect([answer.egress && named(answer.egress), answer.verdict]).toEqual([by, verdict]);
  });

  test("the policies that isolate are all named", () => {
    const isolating = (name: string) => np(name, { podSelector: {}, policyTypes: ["Egress"] }, "red");
    const { egress } = answered([isolating("n"), isolating("m"), np("other", { podSelector: {} }, "blue")]);
    expect(egress?.policies?.map(({ name }) => name).sort()).toEqual(["m", "n"]);
  });

  test("steps, losers and their reasons, in order", () => {
    const { egress } = answered([
      anp("first", { priority: 1, egress: [pass, deny] }),
      anp("second", { priority: 2, egress: [deny] }),
      np("n", { podSelector: {}, policyTypes: ["Egress"], egress: [{}, {}] }, "red"),
      np("m", { podSelector: {}, policyTypes: ["Egress"], egress: [{}] }, "red"),
      banp({ egress: [deny] }),
    ]);
    expect(egress?.steps.map(({ policy, rule }) => `${policy.name}[${rule?.index}]`)).toEqual(["first[0]"]);
    expect(
      egress?.lost?.map(({ policy, rule, because }) => `${policy.name}[${rule?.index}] ${because}`),
    ).toEqual([
      "first[1] passed",
      "second[0] passed",
      "n[1] rule-before",
      "m[0] equal",
      "default[0] tier-before",
    ]);
  });

  test("isolation that an earlier tier keeps from deciding is told", () => {
    const { egress } = answered([
      anp("p", { egress: [allow] }),
      np("n", { podSelector: {}, policyTypes: ["Egress"] }, "red"),
    ]);
    expect(egress?.lost).toEqual([
      expect.objectContaining({ rule: null, because: "tier-before", tier: "namespaced" }),
    ]);
  });

  test("priorities are those of the objects, whatever tier they are counted in", () => {
    expect(
      answered([cnp("c", { priority: 7, egress: [{ action: "Deny", to: toDb }] })]).egress,
    ).toMatchObject({
      priority: 7,
      tier: "admin",
    });
  });

  test("one direction alone", () => {
    const objects = [anp("p", { ingress: [{ action: "Deny", from: [namespacesWith({ tenant: "red" })] }] })];
    const only = explain(worldOf(objects), webToDb, { isDetailed: false, directions: ["egress"] });
    expect([only.verdict, only.ingress, only.egress?.lost]).toEqual(["allow", null, undefined]);
  });
});

test("a kind of policy that no shared code knows, with a tier of its own, is explained", () => {
  const own = {
    ...{ group: "toys.example.com", namespaced: true, ownerType: "Toy" },
    tier: { name: "toys", order: 1.5 },
  };
  const toys = toyDialect(own);
  const team: ReferencedObject = {
    ...{
      kind: teamKind.kind,
      apiVersion: "toys.example.com/v1",
      namespace: null,
      name: "t",
      uid: null,
      generation: null,
    },
    ...{ annotations: new Map(), labels: new Map([["app", "web"]]), spec: {} },
  };
  const dialects = [...everyDialect.dialects, toys];
  const objects = [
    team,
    toys.policy("toy", { app: "db", team: "t" }, "blue"),
    np("toy", { podSelector: {} }, "blue"),
  ];
  const answer = explain(worldOf(objects, { dialects }), webToDb, { isDetailed: true });
  expect(answer.ingress).toMatchObject({
    ...{ verdict: "deny", by: "rule", tier: "namespaced", tierName: "toys", priority: null },
    policy: { group: "toys.example.com", kind: "NetworkPolicy", namespace: "blue", name: "toy" },
    lost: [{ policy: { group: "networking.k8s.io", name: "toy" }, rule: null, because: "tier-before" }],
  });
  // Of a policy that is refused without an outline nothing is known.
  const refused = [toys.policy("toy", { app: "db", team: "none" }, "blue")];
  expect(explain(worldOf(refused, { dialects }), webToDb, { isDetailed: false }).verdict).toBe("unknown");
});
