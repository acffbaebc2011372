// The outcomes that equal priorities leave open, case by case; in any world they are exactly the verdicts that the
// orders of equals give.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { ip, namespace, node, pod, podGroup, withLabels } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds } from "../../test/support/ir.ts";
import type { PolicyText } from "../../test/support/ir.ts";
import type { PodFact } from "../model/facts.ts";
import { everything } from "../model/selector.ts";
import type { Connection, World } from "./evaluate.ts";
import { judge } from "./evaluate.ts";
import type { Action, Policy } from "./ir.ts";
import { directions, tiers } from "./ir.ts";
import { outcomes, outcomesOn } from "./ties.ts";

const world: World = { namespaces: new Map([["red", namespace("red")]]), nodes: [node("n")], hostNames: [] };
const [a, b] = ["10.0.0.1", "10.0.0.2"].map((text, at) =>
  pod("red", `p${at}`, { ips: [text], labels: { app: at === 0 ? "a" : "b" } }),
) as [PodFact, PodFact];
const end = (one: PodFact) => ({ ip: one.ips[0] ?? ip("10.9.9.9"), pod: one });
const there: Connection = { from: end(a), to: end(b), protocol: "tcp", port: 80 };

const says = (name: string, action: Action, text: PolicyText = {}) =>
  irPolicy(name, { ingress: [{ action }], ...text });
const shown = (...policies: readonly Policy[]) => {
  const { ties, verdicts } = outcomes(there, world, policies);
  return {
    ties: ties.map(
      ({ direction, tier, priority, steps, disagree }) =>
        `${direction} ${tier.name} ${priority}: ${steps.map(({ policy }) => policy.ref.name).join(" ")}${disagree ? " disagree" : ""}`,
    ),
    verdicts: [...verdicts].sort(),
  };
};

describe("one side", () => {
  test.each<readonly [string, readonly Policy[], readonly string[], readonly string[]]>([
    ["no policies", [], [], ["allow"]],
    ["one policy", [says("p", "deny")], [], ["deny"]],
    [
      "two of equal priority that disagree",
      [says("p", "deny"), says("q", "allow")],
      ["ingress admin 10: p q disagree"],
      ["allow", "deny"],
    ],
    [
      "two that want the same: the verdict is sure, the rule is not",
      [says("p", "deny"), says("q", "deny")],
      ["ingress admin 10: p q"],
      ["deny"],
    ],
    [
      "deny and reject: another answer, the same verdict",
      [says("p", "deny"), says("q", "reject")],
      ["ingress admin 10: p q disagree"],
      ["deny"],
    ],
    ["two of two priorities", [says("p", "deny"), says("q", "allow", { priority: 11 })], [], ["deny"]],
    [
      "two of which one has nothing to say about it",
      [says("p", "deny"), says("q", "allow", { subject: [podGroup(everything, withLabels({ app: "a" }))] })],
      [],
      ["deny"],
    ],
    [
      "two behind a third that decides",
      [says("p", "deny"), says("q", "allow"), says("first", "allow", { priority: 1 })],
      [],
      ["allow"],
    ],
    [
      "two behind a third that passes, which leaves the tier",
      [says("p", "deny"), says("q", "allow"), says("first", "pass", { priority: 1 })],
      [],
      ["allow"],
    ],
    ["two of two tiers", [says("p", "deny"), says("q", "allow", { tier: tiers.baseline })], [], ["deny"]],
    [
      "two of which one may pass on to a tie",
      [
        says("p", "pass"),
        says("q", "allow"),
        ...["r", "s"].map((name) => says(name, "deny", { tier: tiers.baseline })),
      ],
      ["ingress admin 10: p q disagree", "ingress baseline 10: r s"],
      ["allow", "deny"],
    ],
    [
      "three, and rules of several places: each has the first that matches",
      [
        says("p", "deny", { ingress: [{ action: "allow", peers: [] }, { action: "deny" }] }),
        says("q", "deny"),
        says("r", "allow"),
      ],
      ["ingress admin 10: p q r disagree"],
      ["allow", "deny"],
    ],
    [
      "two that isolate what no rule of theirs matches",
      ["p", "q"].map((name) => irPolicy(name, { unmatched: { ingress: "deny", egress: "next" } })),
      [],
      ["deny"],
    ],
  ])("%s", (_, policies, ties, verdicts) => {
    expect(shown(...policies)).toEqual({ ties, verdicts });
    expect(shown(...policies.toReversed()).verdicts).toEqual(verdicts);
  });
});

describe("two sides", () => {
  const out = (name: string, action: Action) => irPolicy(name, { egress: [{ action }] });

  test("a denial at the source leaves the destination's tie out of it", () => {
    expect(
      shown(out("p", "deny"), says("q", "allow", { priority: 5 }), says("r", "deny", { priority: 5 })),
    ).toEqual({
      ties: [],
      verdicts: ["deny"],
    });
  });

  test("a tie at the source that may allow comes to the destination's", () => {
    const policies = [
      out("p", "deny"),
      out("q", "allow"),
      says("r", "deny", { priority: 5 }),
      says("s", "deny", { priority: 5 }),
    ];
    expect(shown(...policies)).toEqual({
      ties: ["egress admin 10: p q disagree", "ingress admin 5: r s"],
      verdicts: ["deny"],
    });
  });
});

/** Every order of a list. */
function orders<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length === 0) return [[]];
  return list.flatMap((first) => orders(list.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

test("in any world the verdicts are those of every order of equals, and there are several only with a tie that disagrees", () => {
  fc.assert(
    fc.property(irWorlds, irPolicies, (drawn, policies) => {
      const every = orders(policies);
      for (const connection of connectionsIn(drawn, ip).filter((_, at) => at % 5 === 0)) {
        // judge() takes equals in the order in which they come.
        const all = every.map((order) => judge(connection, drawn.world, order));
        const { verdicts } = outcomes(connection, drawn.world, policies);
        expect([...verdicts].sort()).toEqual([...new Set(all.map(({ verdict }) => verdict))].sort());
        for (const direction of directions) {
          const side = outcomesOn(direction, connection, drawn.world, policies);
          if (side.verdicts.size > 1) expect(side.ties.some(({ disagree }) => disagree)).toBe(true);
          const decisions = new Set(
            all.map((one) =>
              one[direction].steps
                .map(({ policy, rule }) => (rule === null ? "isolated" : policy.key))
                .join(),
            ),
          );
          expect(decisions.size > 1).toBe(side.ties.length > 0);
        }
      }
    }),
    { numRuns: 60 },
  );
});
