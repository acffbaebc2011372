// The judge of Calico's policies against what was worked out by hand: a case for each sentence that has a verdict.

import { describe, expect, test } from "@jest/globals";
import { isWithin } from "./addresses.ts";
import { cluster, connectionOf } from "./build.ts";
import type { CalicoDecision, CalicoJudgement } from "./judge.ts";
import { CalicoJudge } from "./judge.ts";
import { kubernetesCases } from "./kubernetes-cases.ts";
import { orderCases } from "./order-cases.ts";
import { portCases } from "./port-cases.ts";
import { ruleCases } from "./rule-cases.ts";
import { scopeCases } from "./scope-cases.ts";
import { noSelectors, selectorCases } from "./selector-cases.ts";
import { parseSelector, SelectorError } from "./selector.ts";
import { serviceCases } from "./service-cases.ts";
import { subjectCases } from "./subject-cases.ts";
import { walkCases } from "./walk-cases.ts";

describe("selectors", () => {
  test.each(selectorCases)("$text", ({ text, holds, not }) => {
    const selector = parseSelector(text);
    for (const labels of holds) expect(selector.holds(new Map(Object.entries(labels)))).toBe(true);
    for (const labels of not) expect(selector.holds(new Map(Object.entries(labels)))).toBe(false);
  });

  test.each(noSelectors)("%j is none", (text) => {
    expect(() => parseSelector(text)).toThrow(SelectorError);
  });

  test("all() and global() are known when they stand alone", () => {
    const texts = ["all()", " global( ) ", "global() || has(a)", "all() && all()", "a == 'all()'"];
    expect(texts.map((text) => parseSelector(text).alone)).toEqual(["all", "global", null, null, null]);
  });
});

test.each([
  ["10.0.0.1", "10.0.0.0/31", true],
  ["10.0.0.2", "10.0.0.0/31", false],
  ["10.0.0.1", "0.0.0.0/0", true],
  ["fd00::1", "0.0.0.0/0", false],
  ["fd00::1", "fd00:0:0:0:0:0:0:1", true],
  ["fd00:0:0:1::", "fd00::/48", true],
  ["fd00:0:0:1::", "fd00::/64", false],
  ["255.255.255.255", "128.0.0.0/1", true],
  ["10.0.0.5", "10.0.0.7/30", true],
])("%s is in %s: %s", (address, network, expected) => {
  expect(isWithin(address, network)).toBe(expected);
});

const questions = [
  ...ruleCases,
  ...portCases,
  ...scopeCases,
  ...serviceCases,
  ...subjectCases,
  ...walkCases,
  ...orderCases,
  ...kubernetesCases,
].flatMap(({ says, manifests, goes }) =>
  Object.entries(goes).map(([asked, expected]) => ({ says, asked, expected, manifests })),
);

describe("verdicts", () => {
  test.each(questions)("$says: $asked: $expected", ({ asked, expected, manifests }) => {
    const world = [...cluster, ...manifests];
    const judgement = new CalicoJudge(world).judge(connectionOf(asked, world));
    expect(expected.includes(" by ") ? textOf(judgement) : judgement.verdict).toBe(expected);
  });
});

function textOf({ verdict, egress, ingress }: CalicoJudgement): string {
  const decider = (decision: CalicoDecision) => decision.steps.findLast(({ action }) => action !== "Pass");
  const step =
    verdict === "deny" && egress.verdict === "deny" ? decider(egress) : (decider(ingress) ?? decider(egress));
  if (step === undefined) return verdict;
  if (step.rule === null) return `${verdict} by the end of ${step.tier}`;
  const { policy, index } = step.rule;
  const name = [policy.kind, policy.namespace, policy.name].filter((part) => part !== null).join("/");
  return `${verdict} by ${name} ${step.direction} ${index}`;
}
