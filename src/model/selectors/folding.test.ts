// What is folded selects what the plain functions make of the same operands.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import { conjunctionOf, disjunctionOf, folded, negationOf, nothing, replaced } from "./folding.ts";
import type { Requirement, Selector } from "../selector.ts";
import { allOf, anyOf, everything, negated, requirements, selects } from "../selector.ts";

const words = ["a", "b"];
const requirement: fc.Arbitrary<Requirement> = fc
  .tuple(fc.constantFrom("app", "tier"), fc.subarray(words), fc.constantFrom("", ...words))
  .chain(([key, values, text]) =>
    fc.constantFrom<Requirement>(
      { operator: "In", key, values },
      { operator: "NotIn", key, values },
      { operator: "Exists", key },
      { operator: "DoesNotExist", key },
      { operator: "Contains", key, text },
    ),
  );

type Tree =
  | { readonly kind: "one"; readonly requirement: Requirement }
  | { readonly kind: "and" | "or"; readonly operands: readonly Tree[] }
  | { readonly kind: "not"; readonly operand: Tree };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ kind: fc.constant("one"), requirement }),
    fc.record({ kind: fc.constantFrom("and", "or"), operands: fc.array(tie("tree"), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant("not"), operand: tie("tree") }),
  ),
}));

function plain(of: Tree): Selector {
  if (of.kind === "one") return requirements([of.requirement]);
  if (of.kind === "not") return negated(plain(of.operand));
  return of.kind === "and" ? allOf(of.operands.map(plain)) : anyOf(of.operands.map(plain));
}

function short(of: Tree): Selector {
  if (of.kind === "one") return folded(of.requirement);
  if (of.kind === "not") return negationOf(short(of.operand));
  return of.kind === "and" ? conjunctionOf(of.operands.map(short)) : disjunctionOf(of.operands.map(short));
}

const labels = [null, ...words, "ab"].flatMap((app) =>
  [null, "a"].map(
    (tier) =>
      new Map(
        Object.entries({ app, tier }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
      ),
  ),
);

test("a folded tree selects what the tree selects, and so does one whose requirements are replaced by themselves", () => {
  fc.assert(
    fc.property(tree, (drawn) => {
      const [whole, folding] = [plain(drawn), short(drawn)];
      const again = replaced(whole, folded);
      for (const one of labels) {
        expect(selects(folding, one)).toBe(selects(whole, one));
        expect(selects(again, one)).toBe(selects(whole, one));
      }
    }),
    { numRuns: 2000 },
  );
});

test("lists are one list, opposites are said, and what is certain is left out", () => {
  const is = (...values: string[]) => folded({ operator: "In", key: "app", values });
  const has = folded({ operator: "Exists", key: "tier" });
  expect(conjunctionOf([is("x"), conjunctionOf([has, everything])])).toEqual(
    requirements([
      { operator: "In", key: "app", values: ["x"] },
      { operator: "Exists", key: "tier" },
    ]),
  );
  expect(disjunctionOf([is("x"), has, is("y")])).toEqual(anyOf([is("x", "y"), has]));
  expect(negationOf(is("x"))).toEqual(folded({ operator: "NotIn", key: "app", values: ["x"] }));
  expect(negationOf(negationOf(conjunctionOf([is("x"), has])))).toEqual(conjunctionOf([is("x"), has]));
  expect(conjunctionOf([is("x"), nothing])).toEqual(nothing);
  expect(disjunctionOf([is("x"), everything])).toEqual(everything);
  expect(conjunctionOf([])).toEqual(everything);
  expect(is()).toEqual(nothing);
});
