// The answer about one policy: its rules are where its object says them, its pods are those that it selects, and what is refused
// or not read is called so.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { askPage } from "../../test/support/ask-page.ts";
import { namespace, pod, workload } from "../../test/support/facts.ts";
import { anp, namespacesWith, np } from "../../test/support/policies.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { keyOf } from "../model/object.ts";
import type { PolicyObject } from "../model/object.ts";
import { notReadOf } from "../unknowns/foreign.ts";
import { everyDialect } from "../dialects.ts";
import { objectText } from "./object-text.ts";
import type { PolicyPageShown } from "./shown/policy.ts";
import type { ShownWorld } from "./world.ts";

const red = [namespacesWith({ tenant: "red" })];
const names = ["web", "db", "api"];
const facts = [
  ...[namespace("red", { tenant: "red" }), namespace("blue")],
  ...["red", "blue"].flatMap((space, at) =>
    names.map((name, n) => pod(space, name, { labels: { app: name }, ips: [`10.0.${at}.${n}`] })),
  ),
];
const ask = (world: ShownWorld, key: string, more = "") =>
  askPage<PolicyPageShown>(world, `/api/policy?policy=${encodeURIComponent(key)}${more}`);
const told = (policy: PolicyObject, more = "") => ask(shownWorld([...facts, policy]), keyOf(policy), more);

test("each rule is at the lines of the object that say it, whatever its texts are", () => {
  const text = fc.oneof(
    fc.constantFrom("a: b", "- x", "ingress:", "two\nlines", "# no", "", "\u202e", "'\"", "x".repeat(200)),
    fc.string({ maxLength: 30 }),
  );
  const rule = fc.record({ name: text, action: fc.constantFrom("Allow", "Deny"), from: fc.constant(red) });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), fc.array(rule, { maxLength: 6 }), (ingress, egress) => {
      const { lines, linesOf } = objectText(anp("p", { ingress, egress }));
      for (const [direction, rules] of Object.entries({ ingress, egress }))
        for (const [at, one] of rules.entries()) {
          const found = linesOf(`spec.${direction}[${at}]`);
          if (found === null) throw new Error(`${direction}[${at}] is nowhere`);
          const own = lines.slice(found.first - 1, found.last);
          const indent = own[0]!.search(/- /);
          expect(parse(own.map((line) => line.slice(indent)).join("\n"))).toEqual([one]);
        }
      expect(linesOf("spec.ingress[99]")).toBeNull();
      expect(parse(lines.join("\n"))).toMatchObject({ metadata: { name: "p" } });
    }),
  );
});

test("its pods, namespaces and workloads, from one place on", () => {
  const policy = np("all", { podSelector: {}, ingress: [{}] }, "red");
  expect(told(policy)).toMatchObject({
    policy: { state: "in force", subjects: 3 },
    pods: { total: 3, offset: 0, shown: ["red/api", "red/db", "red/web"] },
    namespaces: { total: 1, shown: [{ name: "red", pods: 3 }] },
    isolates: { ingress: true, egress: false },
    workloads: { total: 0 },
  });
  expect(told(policy, "&offset=2").pods).toEqual({ total: 3, offset: 2, shown: ["red/web"] });
  const made = shownWorld([...facts, policy], {
    workloads: [workload("red", "new", { labels: { app: "new" } })],
  });
  expect(ask(made, keyOf(policy)).workloads.shown).toEqual([
    { end: "red/deploy/new", title: "red/new (Deployment)" },
  ]);
});

test("rules are as get lists them, with their lines; at most so many", () => {
  const policy = anp("p", { ingress: [0, 1, 2].map(() => ({ action: "Deny", from: red })) });
  const { rules, object } = told(policy, "&limit=2");
  expect([rules.ingress.total, rules.ingress.shown.length, rules.egress.total]).toEqual([3, 2, 0]);
  for (const { lines, rule, peers, unknown } of rules.ingress.shown) {
    expect(object!.shown[lines!.first - 1]).toMatch(/^ *- .*action: Deny|^ *- name/);
    expect([rule!.action, peers, unknown]).toEqual(["deny", ["namespaces tenant=red"], null]);
  }
});

test("a refused policy has its problems and no rules; a kept one has the rules of before, without lines", () => {
  const refused = anp("p", { priority: 1_000_000, ingress: [{ action: "Deny", from: red }] });
  const never = told(refused);
  expect(never).toMatchObject({ policy: { state: "refused" }, pods: null, rules: { ingress: { total: 0 } } });
  expect(never.problems.shown).toMatchObject([{ severity: "error", field: "spec.priority" }]);
  expect(never.object!.shown.join("\n")).toContain("priority: 1000000");

  const good = anp("p", { priority: 5, ingress: [{ action: "Deny", from: red }] });
  const kept = ask(shownWorld([...facts, good], { later: [refused] }), keyOf(good));
  expect(kept).toMatchObject({
    policy: { state: "kept" },
    rules: { ingress: { total: 1 } },
    pods: { total: 6 },
  });
  expect(kept.rules.ingress.shown[0]!.lines).toBeNull();
});

test("of a kind that is not read the name is known, and of no policy nothing", () => {
  const value = {
    ...{ apiVersion: "cilium.io/v2", kind: "CiliumNetworkPolicy" },
    metadata: { name: "c", namespace: "red" },
  };
  const notRead = notReadOf([{ value, place: null }], [], everyDialect.policies);
  const world = shownWorld(facts, { notRead });
  expect(ask(world, "CiliumNetworkPolicy.cilium.io/red/c")).toMatchObject({
    ...{ policy: { state: "not read" }, object: null, pods: null },
  });
  expect(ask(world, "NetworkPolicy.networking.k8s.io/red/none")).toEqual({
    error: "there is no such policy",
  });
});
