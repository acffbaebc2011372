// The work of a plan is counted: of a large cluster only the pairs of ends are looked at that an edit can reach, and a table of
// verdicts is made once for all pairs that meet the same rules.

import { beforeAll, describe, expect, test } from "@jest/globals";
import type { FactStore } from "../../src/model/fact-store.ts";
import type { Judged } from "../../src/plan/judged.ts";
import { judged } from "../../src/plan/judged.ts";
import { linesOf } from "../../src/plan/summary/summary.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { PlanScale } from "../support/plan-world.ts";
import {
  hardPlan,
  largePlan,
  planFacts,
  planPolicies,
  planWorlds,
  rulesByIndex,
  withActionEdited,
  withFirstReplaced,
} from "../support/plan-world.ts";

function judgedOf(facts: FactStore, old: readonly Policy[], next: readonly Policy[]): Judged {
  return judged(planWorlds(facts, old, next), { old: rulesByIndex, new: rulesByIndex });
}

describe.each<[string, PlanScale]>([
  ["10,000 pods of 200 identities, 100 policies", largePlan],
  ["the same with networks that cut the pods' network at random", hardPlan],
])("%s", (_, scale) => {
  let facts: FactStore;
  let old: readonly Policy[];

  beforeAll(() => {
    facts = planFacts(scale);
    old = planPolicies(scale);
  });

  test("nothing is looked at where nothing was edited", () => {
    const { classes, work } = judgedOf(facts, old, planPolicies(scale));
    expect(classes).toEqual([]);
    expect(work.looked).toBe(0);
    expect(work.tables).toBe(0);
  });

  test("an action edited is looked at where the rule reaches", () => {
    const { classes, work } = judgedOf(facts, old, withActionEdited(old, 0));
    expect(classes.length).toBeGreaterThan(0);
    expect(work.possible).toBeGreaterThan(80_000);
    expect(work.looked).toBeGreaterThan(0);
    expect(work.looked).toBeLessThan(work.possible / 50);
    // Two sides, two worlds.
    expect(work.tables).toBeLessThanOrEqual(4 * work.looked);
  });
});

describe("10,000 pods, policies replaced", () => {
  const facts = planFacts(largePlan);
  const old = planPolicies(largePlan);
  const others = planPolicies(largePlan, 2);

  test("ten of a hundred: half of the pairs, and a table for many of them", () => {
    const next = withFirstReplaced(old, others, 10);
    const made = judgedOf(facts, old, next);
    const { classes, work, titles } = made;
    expect(classes.length).toBeGreaterThan(100);
    expect(work.looked).toBeLessThan(0.6 * work.possible);
    expect(work.tables).toBeLessThan(work.looked / 4);
    // What people read of them costs as many lists of pods as there are classes, however many pods these have.
    const before = titles.parts.made;
    const lines = linesOf(made, planWorlds(facts, old, next));
    expect(lines.length).toBeGreaterThan(100);
    expect(titles.parts.made - before).toBeLessThan(4 * classes.length);
  });

  test("all of them: tables are fewer than pairs by far", () => {
    const { work } = judgedOf(facts, old, others);
    expect(work.looked).toBeLessThanOrEqual(work.possible);
    expect(work.tables).toBeLessThan(work.looked / 4);
  });
});
