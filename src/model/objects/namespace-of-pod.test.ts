// The products of a selector over pods and the name of their namespace, held against the selector itself.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { conjunctionOf, disjunctionOf, folded, negationOf, nothing } from "../selectors/folding.ts";
import { namespaceOfPodKey, splitByNamespace } from "./namespace-of-pod.ts";
import { nameKey } from "../selectable.ts";
import type { Requirement, Selector } from "../selector.ts";
import { allOf, anyOf, everything, mentions, negated, requirements, selects } from "../selector.ts";

const words = ["a", "b", "ab"];
const names = ["a", "b", "ab", "ba", "c"];
const requirement: fc.Arbitrary<Requirement> = fc
  .tuple(fc.constantFrom(namespaceOfPodKey, "app", "tier"), fc.subarray(words), fc.constantFrom("", ...words))
  .chain(([key, values, text]) =>
    fc.constantFrom<Requirement>(
      { operator: "In", key, values },
      { operator: "NotIn", key, values },
      { operator: "Exists", key },
      { operator: "DoesNotExist", key },
      { operator: "Contains", key, text },
      { operator: "StartsWith", key, text },
      { operator: "EndsWith", key, text },
    ),
  );
const { selector } = fc.letrec<{ selector: Selector; list: Selector[] }>((tie) => ({
  selector: fc.oneof(
    { maxDepth: 4 },
    fc.array(requirement, { minLength: 1, maxLength: 2 }).map(requirements),
    tie("list").map(allOf),
    tie("list").map(anyOf),
    tie("selector").map(negated),
  ),
  list: fc.array(tie("selector"), { maxLength: 3 }),
}));

/** No label, or one of the words, for each key. */
const podLabels = [null, ...words].flatMap((app) =>
  [null, "b"].map(
    (tier) => new Map(Object.entries({ app, tier }).flatMap(([key, value]) => pair(key, value))),
  ),
);

function pair(key: string, value: string | null): readonly (readonly [string, string])[] {
  return value === null ? [] : [[key, value]];
}

describe("splitByNamespace", () => {
  test("selects what the selector selects, whatever it is made of", () => {
    let several = 0;
    fc.assert(
      fc.property(selector, (whole) => {
        const products = splitByNamespace(whole);
        if (products === null) throw new Error("a small selector needs few products");
        if (products.length > 1) several++;
        for (const { namespaces, pods } of products) {
          expect(mentions(pods, namespaceOfPodKey) || mentions(namespaces, namespaceOfPodKey)).toBe(false);
          expect(mentions(namespaces, "app") || mentions(namespaces, "tier")).toBe(false);
        }
        for (const name of names)
          for (const labels of podLabels) {
            const wanted = selects(whole, new Map([...labels, [namespaceOfPodKey, name]]));
            const found = products.some(
              ({ namespaces, pods }) =>
                selects(namespaces, new Map([[nameKey, name]])) && selects(pods, labels),
            );
            expect(found).toBe(wanted);
          }
      }),
      { numRuns: 1000 },
    );
    expect(several).toBeGreaterThan(30);
  });

  const name = (...values: string[]) => folded({ operator: "In", key: namespaceOfPodKey, values });
  const app = (...values: string[]) => folded({ operator: "In", key: "app", values });
  const homes = (...values: string[]) => folded({ operator: "In", key: nameKey, values });
  const notHomes = (...values: string[]) => folded({ operator: "NotIn", key: nameKey, values });

  test.each<readonly [string, Selector, readonly (readonly [Selector, Selector])[]]>([
    ["labels alone", app("x"), [[everything, app("x")]]],
    ["a name alone", name("a"), [[homes("a"), everything]]],
    ["both", conjunctionOf([name("a", "b"), app("x")]), [[homes("a", "b"), app("x")]]],
    [
      "either",
      disjunctionOf([name("a"), app("x")]),
      [
        [homes("a"), everything],
        [everything, app("x")],
      ],
    ],
    [
      "not both",
      negationOf(allOf([name("a"), app("x")])),
      [
        [homes("a"), negationOf(app("x"))],
        [notHomes("a"), everything],
      ],
    ],
    [
      "names with equal pods",
      disjunctionOf([conjunctionOf([name("a"), app("x")]), conjunctionOf([name("b"), app("x")])]),
      [[homes("a", "b"), app("x")]],
    ],
    ["a name with two others", conjunctionOf([name("a"), name("b"), app("x")]), []],
    ["nothing", nothing, []],
    ["everything", everything, [[everything, everything]]],
  ])("of %s", (_, whole, expected) => {
    expect(splitByNamespace(whole)).toEqual(expected.map(([namespaces, pods]) => ({ namespaces, pods })));
  });

  test("a hundred names with one selector of pods are one product", () => {
    const many = Array.from({ length: 100 }, (_, at) => `n${at}`);
    const whole = allOf([negated(allOf([negated(name(...many)), app("y")])), app("x")]);
    expect(splitByNamespace(whole)?.length).toBeLessThan(3);
  });

  test("more than 64 products are refused, and 64 are not", () => {
    const each = (count: number) =>
      disjunctionOf(Array.from({ length: count }, (_, at) => conjunctionOf([name(`n${at}`), app(`x${at}`)])));
    expect(splitByNamespace(each(64))).toHaveLength(64);
    expect(splitByNamespace(each(65))).toBeNull();
  });

  test("texts that can be met in too many ways are refused without trying all", () => {
    const text = (at: number) => folded({ operator: "Contains", key: namespaceOfPodKey, text: `t${at}` });
    const factors = Array.from({ length: 30 }, (_, at) => anyOf([text(at), app(`x${at}`)]));
    expect(splitByNamespace(allOf(factors))).toBeNull();
  });
});
