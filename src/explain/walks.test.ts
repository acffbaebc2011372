// Explanations of random worlds against the judge: verdict and who decides are the judge's; what lost is what would decide
// next; what nearly matched would be met if its one part matched; and doubts leave open exactly what some choice of them gives.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { ip, podGroup } from "../../test/support/facts.ts";
import type { IrWorld } from "../../test/support/ir.ts";
import { connectionsIn, factsIn, irPolicies, irWorlds } from "../../test/support/ir.ts";
import { refOf } from "../analysis/ref.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { FactStore } from "../model/fact-store.ts";
import { everything } from "../model/selector.ts";
import type { Connection, Decision, Step } from "../policy/evaluate.ts";
import { judge, verdictOf } from "../policy/evaluate.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { directions, everyPeer, tiers } from "../policy/ir.ts";
import type { Verdict } from "../policy/ties.ts";
import { outcomesOn } from "../policy/ties.ts";
import type { RuleStep, Side } from "./answer.ts";
import { AskedWorld } from "./asked.ts";
import { sidesOf } from "./sides.ts";
import { possibleOn } from "../unknowns/possible.ts";

function askedOf({ world, pods }: IrWorld, policies: readonly Policy[]): AskedWorld {
  const facts = new FactStore();
  for (const fact of [...factsIn(world), ...pods]) facts.put(fact);
  return new AskedWorld(
    { facts, records: () => [], policies: () => policies },
    { dialects: [], placeOf: () => null },
  );
}

/** Random policies of which most are about every pod, and many of one place, so that rules meet and tie. */
const densePolicies: fc.Arbitrary<readonly Policy[]> = fc
  .tuple(irPolicies, fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), fc.nat(2))
  .map(([policies, widths, turns]) =>
    policies.map((policy, at) => {
      if (widths[at] === 0) return policy;
      const { tier, priority } = widths[at] === 1 ? policy : { tier: tiers.admin, priority: 1 };
      return { ...widened(policy), tier, priority, ...(turns === 0 ? { interleaved: true as const } : {}) };
    }),
  );

function widened(policy: Policy): Policy {
  const widen = (rules: readonly Rule[]) =>
    rules.map((rule): Rule => ({
      ...rule,
      subject: null,
      peers: rule.index === 1 ? [podGroup(everything)] : rule.peers,
      ports: rule.index === 2 ? null : rule.ports,
    }));
  const { ingress, egress } = policy.rules;
  return {
    ...policy,
    subject: [podGroup(everything)],
    rules: { ingress: widen(ingress), egress: widen(egress) },
  };
}

/** Every fifth connection of a world: each world has hundreds. */
function some(drawn: IrWorld): readonly Connection[] {
  return connectionsIn(drawn, ip).filter((_, at) => at % 5 === 0);
}

type Named = Pick<RuleStep, "policy" | "rule">;

const stepName = ({ policy, rule }: Named): string => `${policy.name} ${rule?.index ?? "isolation"}`;
const judgedName = ({ policy, rule }: Step): string => `${policy.ref.name} ${rule?.index ?? "isolation"}`;

function decider(side: Side): string | null {
  if (side.by === "rule" && side.policy !== undefined && side.rule !== undefined)
    return stepName({ policy: side.policy, rule: side.rule });
  return side.by === "isolation" && side.policy !== undefined ? `${side.policy.name} isolation` : null;
}

function isJudged(connection: Connection, direction: Direction): boolean {
  const { pod } = direction === "egress" ? connection.from : connection.to;
  return pod !== null && isOnPodNetwork(pod);
}

test("verdict and who decides are the judge's, and open where the order of equals is", () => {
  const seen = { sides: 0, ties: 0, rules: 0, isolations: 0 };
  fc.assert(
    fc.property(irWorlds, densePolicies, (drawn, policies) => {
      const asked = askedOf(drawn, policies);
      for (const connection of some(drawn)) {
        const told = sidesOf(asked, connection, { isDetailed: false });
        const judgement = judge(connection, drawn.world, policies);
        for (const direction of directions) {
          const [side, decision] = [told[direction], judgement[direction]];
          if (side === null) throw new Error("not told");
          if (!isJudged(connection, direction)) {
            expect(side).toEqual({ verdict: "allow", by: "exempt", steps: [] });
            continue;
          }
          seen.sides++;
          const { ties, verdicts } = outcomesOn(direction, connection, drawn.world, policies);
          expect(side.verdict).toBe(verdicts.size > 1 ? "unknown" : decision.verdict);
          const disagreeing = ties.filter(({ disagree }) => disagree);
          if (disagreeing.length > 0) {
            seen.ties++;
            expect(side.by).toBe("tie");
            expect(side.tied?.map(stepName)).toEqual(disagreeing[0]?.steps.map(judgedName));
            expect(told.caveats.map(({ code }) => code)).toContain("Tie");
            continue;
          }
          expectDecision(side, decision);
          if (side.by === "rule") seen.rules++;
          if (side.by === "isolation") seen.isolations++;
        }
        const both = outcomesOf(connection, drawn, policies);
        expect(told.verdict).toBe(both.size > 1 ? "unknown" : [...both][0]);
      }
    }),
    { numRuns: 250 },
  );
  // A property of worlds without rules or ties would prove nothing.
  expect(seen.ties).toBeGreaterThan(0);
  expect(seen.rules).toBeGreaterThan(100);
  expect(seen.isolations).toBeGreaterThan(20);
});

function expectDecision(side: Side, { by, steps }: Decision): void {
  expect(side.by).toBe(by === null ? "default" : by.rule === null ? "isolation" : "rule");
  expect(decider(side)).toBe(by === null ? null : judgedName(by));
  expect(side.steps.map(stepName)).toEqual(steps.filter((one) => verdictOf(one) === null).map(judgedName));
  if (by?.rule === null) expect(side.policies).toContainEqual(refOf(by.policy));
}

/** A side that is not a pod's has no say. */
function outcomesOf(connection: Connection, { world }: IrWorld, policies: readonly Policy[]): Set<Verdict> {
  const [egress, ingress] = (["egress", "ingress"] as const).map((direction) =>
    isJudged(connection, direction)
      ? outcomesOn(direction, connection, world, policies).verdicts
      : new Set<Verdict>(["allow"]),
  );
  const both = new Set<Verdict>();
  for (const one of egress ?? []) for (const other of ingress ?? []) both.add(one === "deny" ? one : other);
  return both;
}

/** The policies with one rule made otherwise; null: without it. */
function altered(
  policies: readonly Policy[],
  step: Named,
  by: (rule: Rule) => Rule | null,
): readonly Policy[] {
  const { rule: told } = step;
  if (told === null) throw new Error("isolation is no rule");
  return policies.map((policy) => {
    if (policy.ref.name !== step.policy.name) return policy;
    const rules = policy.rules[told.direction].flatMap((rule) =>
      rule.index === told.index ? (by(rule) ?? []) : [rule],
    );
    return { ...policy, rules: { ...policy.rules, [told.direction]: rules } };
  });
}

test("without the rules that were taken, one that lost is taken next, in their order", () => {
  let took = 0;
  fc.assert(
    fc.property(irWorlds, densePolicies, (drawn, policies) => {
      const asked = askedOf(drawn, policies);
      for (const connection of some(drawn)) {
        for (const direction of directions) {
          const side = sidesOf(asked, connection, { isDetailed: true })[direction];
          if (side?.by !== "rule" || side.policy === undefined || side.rule === undefined) continue;
          const rules = (side.lost ?? []).filter(({ rule }) => rule !== null);
          const without = altered(policies, { policy: side.policy, rule: side.rule }, () => null);
          const next = judge(connection, drawn.world, without)[direction].steps.at(side.steps.length);
          // Those of tiers that were passed stay behind the pass.
          const waiting = rules.filter(({ because }) => because !== "passed");
          if (next?.rule === null)
            expect(waiting.every(({ because }) => because === "tier-before")).toBe(true);
          else expect(next === undefined ? undefined : judgedName(next)).toBe(waiting.map(stepName)[0]);
          if (waiting.length > 0) took++;
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(took).toBeGreaterThan(0);
});

test("a rule that nearly matched is met if its part matches everything, and not otherwise", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(irWorlds, densePolicies, (drawn, policies) => {
      const asked = askedOf(drawn, policies);
      for (const connection of some(drawn)) {
        for (const direction of directions) {
          const side = sidesOf(asked, connection, { isDetailed: true })[direction];
          if (side === null || side.by === "tie") continue;
          expect(side.near?.length ?? 0).toBeLessThanOrEqual(5);
          for (const near of side.near ?? []) {
            const open = ({ own, ...rule }: Rule): Rule => {
              const kept = own === undefined || near.part === "own" ? rule : { ...rule, own };
              if (near.part === "own") return kept;
              return near.part === "peer" ? { ...kept, peers: everyPeer } : { ...kept, ports: null };
            };
            const met = (list: readonly Policy[]) =>
              judge(connection, drawn.world, list)[direction].steps.map(judgedName);
            expect(met(altered(policies, near, open))).toContain(stepName(near));
            expect(met(policies)).not.toContain(stepName(near));
            expect([near.wanted, near.has]).not.toContain("");
            seen.set(near.part, (seen.get(near.part) ?? 0) + 1);
          }
        }
      }
    }),
    { numRuns: 60 },
  );
  for (const part of ["peer", "own", "port", "protocol"]) expect(seen.get(part) ?? 0).toBeGreaterThan(8);
});

/** Every choice of which doubtful rules match. */
function choices(policies: readonly Policy[], doubtful: readonly Rule[]): readonly (readonly Policy[])[] {
  return doubtful.reduce<readonly (readonly Policy[])[]>(
    (lists, doubt) =>
      lists.flatMap((list) => [
        list.map((policy) => withRule(policy, doubt, null)),
        list.map((policy) => withRule(policy, doubt, { ...doubt, peers: [{ kind: "everything" }] })),
      ]),
    [policies],
  );
}

function withRule(policy: Policy, rule: Rule, by: Rule | null): Policy {
  const replaced = (list: readonly Rule[]) => list.flatMap((one) => (one === rule ? (by ?? []) : [one]));
  const { ingress, egress } = policy.rules;
  return { ...policy, rules: { ingress: replaced(ingress), egress: replaced(egress) } };
}

test("doubts leave open exactly the verdicts that some choice of them gives", () => {
  let opened = 0;
  fc.assert(
    fc.property(irWorlds, densePolicies, fc.array(fc.nat(), { maxLength: 4 }), (drawn, policies, picks) => {
      const all = policies.flatMap(({ rules }) => [...rules.ingress, ...rules.egress]);
      const doubtful = [...new Set(picks.flatMap((pick) => all[pick % Math.max(1, all.length)] ?? []))];
      const lists = choices(policies, doubtful);
      for (const connection of some(drawn).filter((_, at) => at % 4 === 0)) {
        for (const direction of directions) {
          const { verdicts } = possibleOn(direction, connection, drawn.world, policies, (rule) =>
            doubtful.includes(rule) ? { actions: [rule.action], byPeers: false } : null,
          );
          const expected = lists.flatMap((list) => [
            ...outcomesOn(direction, connection, drawn.world, list).verdicts,
          ]);
          expect([...verdicts].sort()).toEqual([...new Set(expected)].sort());
          if (verdicts.size > 1) opened++;
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(opened).toBeGreaterThan(10);
});
