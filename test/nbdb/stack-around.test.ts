// The stack of tiers around another program's rows of NetworkPolicies, asked together with those rows where OVN-Kubernetes documents
// them: never more than one stack of all policies as they are written, and the same where nothing says otherwise.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Groups } from "../../src/groups/index.ts";
import { FactStore } from "../../src/model/fact-store.ts";
import { Preview } from "../../src/nbdb/desired/preview.ts";
import { groupChanges } from "../../src/policy/changes.ts";
import { withPasses } from "../../src/policy/closed-rules.ts";
import type { StackLayout } from "../../src/policy/contracts/tier-layout.ts";
import { sideOf } from "../../src/policy/contracts/tier-layout.ts";
import { judge } from "../../src/policy/evaluate.ts";
import type { PodFact } from "../../src/model/facts.ts";
import type { Policy, PortMatch, Tier } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { ip, namespace, pod } from "../support/facts.ts";
import type { PolicyText } from "../support/ir.ts";
import { connectionsIn, irPolicy, irWorlds } from "../support/ir.ts";
import { irDialect } from "../support/ir-dialect.ts";
import type { Acl } from "../support/stack-engine.ts";
import { StackEngine, verdictOf } from "../support/stack-engine.ts";
import { stackRules, stackSubjects, stackTexts } from "../support/stack-policies.ts";

const around = { tier: { name: "default", order: 1_000_000 }, priority: 1000 };
const behindIsolation: StackLayout = { around, beforeIsolation: false };
const texts = stackTexts([-1, 1, 1000, 1000, 1000.5, Infinity]);

/** NetworkPolicies: their ties are before or behind those of the other policies. */
const others: fc.Arbitrary<PolicyText> = fc.record({
  ...{ tier: fc.constant(around.tier), priority: fc.constant(around.priority) },
  ...{ subject: stackSubjects, tie: fc.constantFrom("a", "z") },
  unmatched: fc.constantFrom<NonNullable<PolicyText["unmatched"]>>(
    { ingress: "deny", egress: "next" },
    { ingress: "deny", egress: "deny" },
  ),
  ingress: fc.array(
    stackRules.map((rule) => ({ ...rule, action: "allow" as const, subject: null })),
    { maxLength: 2 },
  ),
});

/** As docs/rows-networkpolicy.md has them: OVN tier 2, allows at 1001, isolation at 1000. */
function documentedRows(policy: Policy): readonly Acl[] {
  return directions.flatMap((direction): readonly Acl[] => {
    const common = { policy, direction, tier: 2 };
    const allows = policy.rules[direction].map((rule): Acl => ({
      ...common,
      rule,
      action: "allow",
      priority: 1001,
    }));
    const isolation: Acl = { ...common, rule: null, action: "deny", priority: 1000 };
    return policy.unmatched[direction] === "deny" ? [...allows, isolation] : allows;
  });
}

/** Whether the isolation may stand before what the policy lets through, or the policy before an allow that its tie puts first. */
function mayBeStricter(policy: Policy, rows: readonly Policy[]): boolean {
  if (policy.tier.name !== around.tier.name) return false;
  if (sideOf(policy, around) === "behind")
    return directions.some((one) => policy.rules[one].some(({ action }) => action !== "deny"));
  return policy.priority === around.priority && rows.some(({ tie }) => (tie ?? "") < (policy.tie ?? ""));
}

test.each([
  ["behind the isolation of networks", behindIsolation],
  ["before it", { ...behindIsolation, beforeIsolation: true }],
])(
  "with the documented rows beside them, the rows are never wider, and as wide where nothing stands in their way: %s",
  (_, layout) => {
    const count = { allowed: 0, denied: 0, equal: 0, stricter: 0, closed: 0, exits: 0, opened: 0 };
    fc.assert(
      fc.property(
        ...[irWorlds, fc.array(texts, { minLength: 1, maxLength: 7 }), fc.array(others, { maxLength: 2 })],
        (world, own, foreign) => {
          const dialect = irDialect("Stacked", true);
          const stack = new StackEngine([dialect], layout);
          const written = own.map((text, at) => irPolicy(`p${at}`, { ...text, tie: `t${at}` }));
          for (const policy of written) stack.pass([[dialect.objectOf(policy), true]]);
          expect(stack.held.size).toBe(written.length);
          const networkPolicies = foreign.map((text, at) => irPolicy(`n${at}`, text));
          const inForce = [...stack.held.values()];
          const all = [...inForce.map(withPasses), ...networkPolicies];
          const acls = [...stack.acls(), ...networkPolicies.flatMap(documentedRows)];
          for (const { tier, priority } of stack.acls()) {
            expect(tier === 2 && priority <= 10_000).toBe(false);
            expect(tier === 0 && priority <= 1100).toBe(false);
          }
          const isEqual = !inForce.some((one) => mayBeStricter(one, networkPolicies));
          const rules = inForce.flatMap((one) => directions.flatMap((way) => one.rules[way]));
          count.closed += rules.filter(({ closedFrom }) => closedFrom === "pass").length;
          count.exits += acls.filter(
            ({ rule, action }) => rule?.action === "pass" && action === "allow",
          ).length;
          count.opened += inForce.filter(({ key }) => stack.places.isOpenEnd(key, "ingress")).length;
          for (const [at, connection] of connectionsIn(world, ip).entries()) {
            if (at % 5 !== 0 || (connection.from.pod === null && connection.to.pod === null)) continue;
            const verdict = verdictOf(acls, connection, world.world);
            const asWritten = judge(connection, world.world, all).verdict;
            if (verdict === "allow") expect(asWritten).toBe("allow");
            else if (asWritten === "allow") count.stricter++;
            const asInForce = judge(connection, world.world, [...inForce, ...networkPolicies]).verdict;
            if (isEqual) {
              expect(verdict).toBe(asInForce);
              count.equal++;
            }
            count[verdict === "allow" ? "allowed" : "denied"]++;
          }
        },
      ),
      { numRuns: 300 },
    );
    for (const number of Object.values(count)) expect(number).toBeGreaterThan(20);
  },
);

test("before the isolation of networks, what the first tier of OVN allows or passes skips it, and nothing else does", () => {
  const tcp = (port: number): PortMatch => ({ kind: "port", protocol: "tcp", port });
  const named = (name: string, order: number, more: PolicyText): Policy =>
    irPolicy(name, { tier: { name, order }, tie: name, ...more });
  const policies = [
    named("a", 1, { ingress: [{ action: "allow", ports: [tcp(1)] }] }),
    named("b", 2, { ingress: [{ action: "pass", ports: [tcp(2), tcp(3)] }] }),
    named("c", 3, {
      ingress: [
        { action: "deny", ports: [tcp(3)] },
        { action: "allow", ports: [tcp(4)] },
      ],
    }),
  ];
  const dialect = irDialect("Stacked", true);
  const [front, behind] = [true, false].map((beforeIsolation) => {
    const engine = new StackEngine([dialect], { around: null, beforeIsolation });
    engine.pass(policies.map((one) => [dialect.objectOf(one), true]));
    return engine.acls();
  });
  // As OVN-Kubernetes isolates networks, in OVN tier 0: here everything is denied.
  const isolation = irPolicy("isolation", { unmatched: { ingress: "deny", egress: "next" } });
  const row: Acl = {
    ...{ policy: isolation, direction: "ingress", rule: null, action: "deny", tier: 0, priority: 1000 },
  };
  const [web, db] = [pod("shop", "web", { ips: ["10.0.0.1"] }), pod("shop", "db", { ips: ["10.0.0.2"] })];
  const world = { namespaces: new Map([["shop", namespace("shop")]]), nodes: [], hostNames: [] };
  const end = (pod: PodFact, address: string) => ({ ip: ip(address), pod });
  const verdicts = (acls: readonly Acl[] | undefined) =>
    [1, 2, 3, 4].map((port) =>
      verdictOf(
        [...(acls ?? []), row],
        { from: end(web, "10.0.0.1"), to: end(db, "10.0.0.2"), protocol: "tcp", port },
        world,
      ),
    );
  expect(verdicts(front)).toEqual(["allow", "allow", "deny", "deny"]);
  expect(verdicts(behind)).toEqual(["deny", "deny", "deny", "deny"]);
});

test("an allow of the other program's is asked behind everything up to its order, and before the rest of its tier", () => {
  const dialect = irDialect("Stacked", true);
  const stack = new StackEngine([dialect], behindIsolation);
  const policies = [
    irPolicy("earlier", { tier: { name: "e", order: 1 }, ingress: [{ action: "pass" }] }),
    irPolicy("front", { ...around, tie: "z", ingress: [{ action: "deny" }], subject: [] }),
    irPolicy("rest", { ...around, priority: 1001, tie: "a", ingress: [{ action: "allow" }] }),
    irPolicy("later", { tier: { name: "l", order: Infinity }, ingress: [{ action: "deny" }] }),
  ].map((one) => ({ ...one, unmatched: { ingress: "deny", egress: "next" } as const }));
  stack.pass(policies.map((one) => [dialect.objectOf(one), true]));
  const placesOf = (name: string) =>
    stack
      .acls()
      .flatMap(({ policy, rule, tier }) =>
        policy.ref.name === name ? [`${rule === null ? "end" : "rule"} ${tier}`] : [],
      );
  expect(policies.map(({ ref }) => placesOf(ref.name))).toEqual([
    ["rule 1", "end 1"],
    ["rule 2", "end 3"],
    ["rule 3", "end 3"],
    ["rule 3", "end 3"],
  ]);
});

test("a rule that passes allows in front of the other program's rows, and passes everywhere else, at whatever place", () => {
  const at = (tier: Tier, priority: number): Policy =>
    irPolicy("p", { tier, priority, tie: "p", ingress: [{ action: "pass" }] });
  const [earlier, front, rest] = [
    at({ name: "e", order: 1 }, 5),
    at(around.tier, 1000),
    at(around.tier, 1001),
  ];
  const groups = new Groups(new FactStore());
  const rows = new Preview(groups, { zone: null, namedPorts: "list", tierLayout: behindIsolation });
  rows.serve(["v4"]);
  for (const group of groupChanges(null, front).added) groups.retain(group);
  const actionOf = (policy: Policy) => {
    rows.upsert(policy);
    return rows.tables(new Map()).ACL.map(({ tier, priority, action }) => ({ tier, priority, action }));
  };
  const [first] = actionOf(earlier);
  expect(first).toMatchObject({ tier: 1, action: "pass" });
  const ruled = (policy: Policy): Policy => ({ ...policy, rules: earlier.rules });
  expect(actionOf(ruled(front))).toEqual([{ ...first, action: "allow-related" }]);
  expect(actionOf(earlier)).toEqual([first]);
  expect(actionOf(ruled(rest))).toMatchObject([{ tier: 3, action: "pass" }]);
});
