// Policies that are asked together mean what one policy means that has all their rules, in the order that they take turns.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds } from "../../test/support/ir.ts";
import { judge } from "./evaluate.ts";
import type { Action, Policy, Rule } from "./ir.ts";
import { directions, tiers } from "./ir.ts";
import { placeInTurn, turnsOf } from "./order.ts";
import { outcomes } from "./ties.ts";

const together = (name: string, priority: number) => irPolicy(name, { priority, interleaved: true });

test("policies of one priority take turns; others come one after the other", () => {
  const [a, b, c, d] = [together("a", 5), together("b", 5), together("c", 4.5), together("d", 5)];
  const alone = irPolicy("e", { priority: 5 });
  const names = (policies: readonly Policy[]) =>
    turnsOf(policies).map((turn) => turn.map(({ ref }) => ref.name).join(""));
  expect(names([a, b, c, d])).toEqual(["c", "abd"]);
  expect(names([a, alone, b, c])).toEqual(["c", "ab", "e"]);
  expect(names([alone, b, c, a])).toEqual(["c", "e", "ba"]);
  expect(names([])).toEqual([]);
});

test("at one index the action that lets least pass comes first", () => {
  const actions: readonly Action[] = ["pass", "allow", "reject", "deny"];
  const places = [0, 1].flatMap((index) => actions.map((action) => ({ index, action })));
  const sorted = places.toSorted((a, b) => placeInTurn(a) - placeInTurn(b));
  expect(sorted.map(({ index, action }) => `${index} ${action}`)).toEqual([
    ...["0 deny", "0 reject", "0 allow", "0 pass"],
    ...["1 deny", "1 reject", "1 allow", "1 pass"],
  ]);
});

test("in any world they mean what one policy with all their rules means, and nothing of it is left open", () => {
  fc.assert(
    fc.property(irWorlds, irPolicies, (drawn, policies) => {
      const interleaved = policies.map((policy): Policy => ({
        ...{ ...policy, tier: tiers.admin, priority: 7, interleaved: true },
        unmatched: { ingress: "next", egress: "next" },
      }));
      const all = irPolicy("all", { priority: 7 });
      const merged = (direction: "ingress" | "egress"): readonly Rule[] =>
        interleaved
          .flatMap(({ subject, rules }) =>
            rules[direction].map((rule) => ({ ...rule, subject: rule.subject ?? subject })),
          )
          .toSorted((a, b) => placeInTurn(a) - placeInTurn(b))
          .map((rule, index) => ({ ...rule, index }));
      const one: Policy = { ...all, rules: { ingress: merged("ingress"), egress: merged("egress") } };
      for (const connection of connectionsIn(drawn, ip).filter((_, at) => at % 5 === 0)) {
        const judged = judge(connection, drawn.world, interleaved);
        const expected = judge(connection, drawn.world, [one]);
        for (const direction of directions)
          expect(judged[direction].by?.rule?.action).toBe(expected[direction].by?.rule?.action);
        expect(judged.verdict).toBe(expected.verdict);
        expect(outcomes(connection, drawn.world, interleaved)).toEqual({
          ties: [],
          verdicts: new Set([judged.verdict]),
        });
      }
    }),
    { numRuns: 100 },
  );
});
