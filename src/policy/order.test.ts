// Tiers, policies and rules in the order of evaluation. Policies that are asked together mean what one policy means that has all
// their rules, in the order that they take turns.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ip } from "../../test/support/facts.ts";
import { connectionsIn, irPolicies, irPolicy, irWorlds } from "../../test/support/ir.ts";
import { judge } from "./evaluate.ts";
import type { Action, Policy, Rule } from "./ir.ts";
import { directions, tiers } from "./ir.ts";
import {
  byTier,
  compareDecided,
  compareRanks,
  compareTiers,
  inOrder,
  isOrderOpen,
  placeInTurn,
  placeKey,
  rankOf,
  equalsOf,
} from "./order.ts";
import { outcomes } from "./ties.ts";

const together = (name: string, priority: number) => irPolicy(name, { priority, interleaved: true });

test("policies of one priority take turns; others come one after the other", () => {
  const [a, b, c, d] = [together("a", 5), together("b", 5), together("c", 4.5), together("d", 5)];
  const alone = irPolicy("e", { priority: 5 });
  const names = (policies: readonly Policy[]) =>
    equalsOf(policies).map((turn) => turn.map(({ ref }) => ref.name).join(""));
  expect(names([a, b, c, d])).toEqual(["c", "abd"]);
  expect(names([a, alone, b, c])).toEqual(["c", "ab", "e"]);
  expect(names([alone, b, c, a])).toEqual(["c", "e", "ba"]);
  expect(names([])).toEqual([]);
});

test("tiers of one order are ordered by name, and orders may be infinite", () => {
  const [first, a, b, last] = [
    { name: "z", order: -Infinity },
    { name: "a", order: 1 },
    { name: "b", order: 1 },
    { name: "a", order: Infinity },
  ];
  expect([last, b, first, a].sort(compareTiers)).toEqual([first, a, b, last]);
  expect(compareTiers(last, { name: "a", order: Infinity })).toBe(0);
  const policies = [b, last, a, b].map((tier, at) => irPolicy(`p${at}`, { tier }));
  const names = byTier(policies).map(([{ name }, all]) => [name, all.map(({ ref }) => ref.name).join(" ")]);
  expect(names).toEqual([
    ["a", "p2"],
    ["b", "p0 p3"],
    ["a", "p1"],
  ]);
});

test("of one priority, a text decides among those that have one, then the key; about others nothing does", () => {
  const [x, y, again, none] = [
    irPolicy("x", { tie: "b" }),
    irPolicy("y", { tie: "a" }),
    irPolicy("again", { tie: "b" }),
    irPolicy("none"),
  ];
  const first = irPolicy("first", { priority: -Infinity });
  const last = irPolicy("last", { priority: Infinity });
  const names = (policies: readonly Policy[]) =>
    inOrder(policies, (one) => one)
      .map(({ ref }) => ref.name)
      .join(" ");
  expect(names([last, x, y, none, first, again])).toBe("first y again x none last");
  expect(names([none, x, y])).toBe("none y x");
  expect(equalsOf([none, x, last, y]).map((turn) => turn.map(({ ref }) => ref.name))).toEqual([
    ["none"],
    ["y", "x"],
    ["last"],
  ]);
  expect([compareDecided(x, y), compareDecided(again, x), compareDecided(none, x)].map(Math.sign)).toEqual([
    1, -1, 0,
  ]);
  expect([isOrderOpen(none, x), isOrderOpen(x, y), isOrderOpen(x, last)]).toEqual([true, false, false]);
  const ranked = [none, last, x, y].sort((one, other) => compareRanks(rankOf(one), rankOf(other)));
  expect(ranked).toEqual([y, x, none, last]);
  expect(placeKey(x)).toBe(placeKey(none));
});

test("rules that take turns do so whatever text their policies have", () => {
  const [a, b] = [together("a", 5), together("b", 5)].map((one, at) => ({
    ...one,
    tie: at === 0 ? "y" : "x",
  }));
  if (a === undefined || b === undefined) throw new Error("no policies");
  expect(equalsOf([a, b])).toEqual([[a, b]]);
  expect(compareDecided(a, b)).toBe(0);
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
      const connections = connectionsIn(drawn, ip).filter((_, at) => at % 5 === 0);
      const judged = (some: readonly Policy[]) =>
        connections.map((connection) => {
          const judgement = judge(connection, drawn.world, some);
          return [judgement.verdict, ...directions.map((side) => judgement[side].by?.rule?.action)];
        });
      const expected = judged([one]);
      expect(judged(interleaved)).toEqual(expected);
      expect(connections.map((connection) => outcomes(connection, drawn.world, interleaved))).toEqual(
        expected.map(([verdict]) => ({ ties: [], verdicts: new Set([verdict]) })),
      );
    }),
    { numRuns: 100 },
  );
});
