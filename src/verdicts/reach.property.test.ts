// The table of what rules decide is held against the judge, connection by connection and order by order, in random worlds:
// the fate of every rule, the verdict of every side, and what removing a rule does.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyConnection, everyOrder } from "../../test/support/ir-brute.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { byName, declaring, factsIn, irPolicies, irPolicy, irRule, irWorlds } from "../../test/support/ir.ts";
import { ip, podGroup } from "../../test/support/facts.ts";
import { everything } from "../model/selector.ts";
import { FactStore } from "../model/fact-store.ts";
import type { Connection } from "../policy/evaluate.ts";
import { firstMatch, judge } from "../policy/evaluate.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import { directions, tiers } from "../policy/ir.ts";
import { outcomes, outcomesOn } from "../policy/ties.ts";
import type { Range } from "./axes.ts";
import type { Reachability } from "./questions/rule-reachability.ts";
import { RuleReachability } from "./questions/rule-reachability.ts";
import type { OrderedRule } from "./entries.ts";
import { Reach } from "./reach.ts";

function storeOf({ world, pods }: IrWorld): FactStore {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  return facts;
}

/** Every policy and every rule applies to somebody, so that many rules meet. */
const busy = irPolicies.map((policies) =>
  policies.map((policy): Policy => {
    const ruled = (rules: readonly Rule[]) =>
      rules.map((rule) => (rule.subject?.length === 0 ? { ...rule, subject: null } : rule));
    const subject = policy.subject.length === 0 ? [podGroup(everything)] : policy.subject;
    return {
      ...policy,
      subject,
      rules: { ingress: ruled(policy.rules.ingress), egress: ruled(policy.rules.egress) },
    };
  }),
);
/** The first pod has a second address of the first's family. */
const worlds = irWorlds.map(declaring).map(({ world, pods }): IrWorld => ({
  world,
  pods: pods.map((fact, at) => (at > 0 ? fact : { ...fact, ips: [...fact.ips, ip("172.18.0.1")] })),
}));
const named = busy.map(byName);

/** Many at one place of the order. */
const tied = busy.map((policies) =>
  policies.map((policy) => ({ ...policy, tier: tiers.admin, priority: 1 })),
);
/** A policy above all others allows everything, and hides them and its own second rules. */
const hidden = busy.map((policies): readonly Policy[] => {
  const rules = [{ action: "allow" }, { action: "deny" }] as const;
  return [irPolicy("first", { priority: 0, ingress: rules, egress: rules }), ...policies];
});
/** Two at one place of the order, of which one allows everything and the other nothing. */
const contrary = fc.constant(
  (["allow", "deny"] as const).map((action) =>
    irPolicy(action, { ingress: [{ action }], egress: [{ action }] }),
  ),
);
/** Many whose rules take turns at one place, beside others there. */
const inTurns = fc
  .tuple(tied, fc.nat({ max: 4 }))
  .map(([policies, alone]) =>
    policies.map((policy, at): Policy => (at === alone ? policy : { ...policy, interleaved: true })),
  );
/** Every second rule is about connections that a load balancer has led. */
const balanced = fc.oneof(busy, tied).map((policies) =>
  policies.map((policy): Policy => {
    const through = (rules: readonly Rule[]) =>
      rules.map((rule, at) => (at % 2 === 1 ? rule : { ...rule, translated: true as const }));
    return {
      ...policy,
      rules: { ingress: through(policy.rules.ingress), egress: through(policy.rules.egress) },
    };
  }),
);
const somePolicies = fc.oneof(irPolicies, busy, tied, inTurns, named, balanced, contrary, {
  arbitrary: hidden,
  weight: 2,
});

/** Asks the judge about every connection in every order. */
function fatesByJudge(
  connections: readonly Connection[],
  world: IrWorld["world"],
  policies: readonly Policy[],
): (rule: Rule) => Reachability {
  const [matched, first, spoken] = [new Set<Rule>(), new Set<Rule>(), new Set<Rule>()];
  const lists = policies.flatMap((policy) => directions.map((direction) => ({ policy, direction })));
  const asked = connections.flatMap((connection) => lists.map((list) => ({ connection, ...list })));
  for (const { connection, policy, direction } of asked) {
    const find = (one: Policy) => firstMatch(one, direction, connection, world);
    for (const rule of policy.rules[direction])
      if (find({ ...policy, rules: { ...policy.rules, [direction]: [rule] } }) !== null) matched.add(rule);
    first.add(find(policy) ?? nobody);
  }
  const decided = everyOrder(policies).flatMap((order) => connections.map((one) => judge(one, world, order)));
  for (const { rule } of decided.flatMap(({ egress, ingress }) => [...egress.steps, ...ingress.steps]))
    spoken.add(rule ?? nobody);
  return (rule) => {
    if (spoken.has(rule)) return "speaks";
    if (first.has(rule)) return "unreachable";
    return matched.has(rule) ? "shadowed" : "unmatched";
  };
}

const nobody = irRule(-1);

function entriesOf({ rules }: Reach): readonly OrderedRule[] {
  return directions.flatMap((direction) => rules[direction]);
}

test("the fate of every rule is the judge's", () => {
  const seen = new Map<Reachability, number>();
  fc.assert(
    fc.property(worlds, somePolicies, (world, policies) => {
      const reach = new Reach(policies, storeOf(world));
      const fates = new RuleReachability(reach);
      const expected = fatesByJudge(everyConnection(world, policies), world.world, policies);
      for (const entry of entriesOf(reach)) {
        const fate = fates.of(entry);
        seen.set(fate, (seen.get(fate) ?? 0) + 1);
        expect([entry.policy.key, entry.direction, entry.rule.index, fate]).toEqual([
          ...[entry.policy.key, entry.direction, entry.rule.index],
          expected(entry.rule),
        ]);
      }
    }),
    { numRuns: 60 },
  );
  for (const fate of ["unmatched", "shadowed", "unreachable", "speaks"] as const)
    expect(seen.get(fate)).toBeGreaterThan(0);
});

test("a side's verdict is one that policy/ties.ts finds possible, and unknown exactly where there are two", () => {
  let unknown = 0;
  fc.assert(
    fc.property(worlds, fc.oneof(tied, inTurns, contrary, somePolicies), (world, policies) => {
      const reach = new Reach(policies, storeOf(world));
      const said: string[] = [];
      const expected: string[] = [];
      for (const connection of everyConnection(world, policies)) {
        const { protocol, port, sourcePort, from, to } = connection;
        // Source ports divide TCP to the ports that rules name.
        const isDivided = protocol === "tcp" && (port > 79 || sourcePort !== undefined);
        if (typeof protocol === "number" || protocol === "icmp" || isDivided) continue;
        for (const direction of directions) {
          const straight: Connection = {
            ...{ from, to, protocol, port },
            ...(sourcePort === undefined ? {} : { sourcePort }),
          };
          // Asked is about both ways.
          const both = [straight, { ...straight, translated: true } as const];
          const verdicts = new Set(
            both.flatMap((one) => [...outcomesOn(direction, one, world.world, policies).verdicts]),
          );
          const { verdict } = reach.side(direction, from, to, reach.at(protocol, port));
          if (verdict === "unknown") unknown += 1;
          said.push(verdict);
          expected.push(verdicts.size > 1 ? "unknown" : [...verdicts].join());
        }
      }
      expect(said).toEqual(expected);
    }),
    { numRuns: 60 },
  );
  expect(unknown).toBeGreaterThan(0);
});

test("between two ends each connection is in one class, which has the judge's verdict", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(worlds, somePolicies, (world, policies) => {
      const reach = new Reach(policies, storeOf(world));
      const said: (readonly string[])[] = [];
      const expected: (readonly string[])[] = [];
      for (const connection of everyConnection(world, policies)) {
        const { protocol, port, sourcePort = unnamed, translated } = connection;
        if (typeof protocol === "number" || protocol === "icmp" || translated === true) continue;
        const asked = { ...connection, sourcePort };
        const classes = reach
          .between(connection.from, connection.to)
          .filter(({ traffic }) =>
            traffic.some(
              ({ axis, ranges, sources }) =>
                axis === protocol && isAmong(port, ranges) && isAmong(sourcePort, sources ?? [[1, 65_535]]),
            ),
          );
        const { verdicts } = outcomes(asked, world.world, policies);
        const verdict = verdicts.size > 1 ? "unknown" : ([...verdicts][0] ?? "");
        said.push(classes.map((one) => one.verdict));
        expected.push([verdict]);
        seen.add(verdict);
      }
      expect(said).toEqual(expected);
    }),
    { numRuns: 60 },
  );
  expect([...seen].sort()).toEqual(["allow", "deny", "unknown"]);
});

/** A source port that no rule names. */
const unnamed = 61_235;

function isAmong(number: number, ranges: readonly Range[]): boolean {
  return ranges.some(([first, last]) => first <= number && number <= last);
}

test("removing a rule changes no decision exactly when it does not speak", () => {
  const counts = { same: 0, changed: 0 };
  fc.assert(
    fc.property(worlds, somePolicies, fc.nat(), (world, policies, drawn) => {
      const reach = new Reach(policies, storeOf(world));
      const entries = entriesOf(reach);
      const entry = entries[drawn % Math.max(1, entries.length)];
      if (entry === undefined) return;
      const rest = policies.map((policy) => (policy === entry.policy ? without(policy, entry) : policy));
      const orders = everyOrder(policies).map((order) => ({
        order,
        shorter: order.map((policy) => rest.find(({ key }) => key === policy.key) ?? policy),
      }));
      const isChanged = everyConnection(world, policies).some((connection) =>
        orders.some(
          ({ order, shorter }) =>
            decisions(connection, world, order) !== decisions(connection, world, shorter),
        ),
      );
      counts[isChanged ? "changed" : "same"] += 1;
      expect(new RuleReachability(reach).of(entry) === "speaks").toBe(isChanged);
    }),
    { numRuns: 60 },
  );
  expect(Math.min(counts.same, counts.changed)).toBeGreaterThan(0);
});

function without(policy: Policy, { direction, rule }: OrderedRule): Policy {
  const left = policy.rules[direction].filter((one) => one !== rule);
  return { ...policy, rules: { ...policy.rules, [direction]: left } };
}

function decisions(connection: Connection, { world }: IrWorld, policies: readonly Policy[]): string {
  const { verdict, egress, ingress } = judge(connection, world, policies);
  const told = [egress, ingress].map(({ steps }) =>
    steps.map(({ policy, rule }) => `${policy.key} ${rule?.index ?? "isolation"}`),
  );
  return JSON.stringify([verdict, told]);
}
