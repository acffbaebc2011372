// The values that stand for all values of an unknown label: every answer that some value gives is given, and no other.

import fc from "fast-check";
import { expect, test } from "@jest/globals";
import type { NamespaceFact } from "../model/facts.ts";
import { namespaceLabels } from "../model/selectable.ts";
import type { Requirement, Selector } from "../model/selector.ts";
import { anyOf, negated, requirements, selects } from "../model/selector.ts";
import { AskedLabels } from "./asked-labels.ts";
import { unreadNamespace } from "./namespaces.ts";

/** Every text of at most this many letters; "-" is in no selector. */
function textsOf(length: number): readonly string[] {
  return length === 0
    ? [""]
    : ["", ...textsOf(length - 1).flatMap((text) => ["x", "y", "-"].map((letter) => letter + text))];
}

const labelled = (name: string) => (value: string | null) => ({
  ...unreadNamespace(name),
  labels: new Map(value === null ? [] : [["app", value]]),
});

function selectorsOver(texts: readonly string[]): fc.Arbitrary<readonly Selector[]> {
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({
      operator: fc.constantFrom("Contains" as const, "StartsWith" as const, "EndsWith" as const),
      key: fc.constant("app"),
      text: fc.constantFrom(...texts),
    }),
    fc.record({
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      key: fc.constant("app"),
      values: fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 2 }),
    }),
  );
  const selector = fc.oneof(
    fc.array(requirement, { minLength: 1, maxLength: 2 }).map(requirements),
    fc.tuple(requirement, requirement).map((pair) => anyOf(pair.map((one) => negated(requirements([one]))))),
  );
  return fc.array(selector, { minLength: 1, maxLength: 2 });
}

function answers(selectors: readonly Selector[], fact: NamespaceFact): readonly boolean[] {
  return selectors.map((selector) => selects(selector, namespaceLabels(fact)));
}

test("of one namespace", () => {
  const all = [null, ...textsOf(8)].map(labelled("a"));
  let most = 0;
  fc.assert(
    fc.property(selectorsOver(["x", "y", "xy", "yx"]), (selectors) => {
      const asked = new AskedLabels(unreadNamespace("a"));
      for (const selector of selectors) asked.ask(selector);
      const given = new Set(asked.completions()?.map((fact) => JSON.stringify(answers(selectors, fact))));
      const wanted = new Set(all.map((fact) => JSON.stringify(answers(selectors, fact))));
      expect(given).toEqual(wanted);
      most = Math.max(most, wanted.size);
    }),
    { numRuns: 100 },
  );
  expect(most).toBeGreaterThan(2);
});

test("of two namespaces whose labels are compared", () => {
  const all = ["a", "b"].map((name) => [null, ...textsOf(4)].map(labelled(name)));
  fc.assert(
    fc.property(selectorsOver(["x", "y"]), selectorsOver(["x"]), (one, other) => {
      const pairOf = (a: NamespaceFact, b: NamespaceFact): string => {
        const [own, others] = [a, b].map(({ labels }) => labels.get("app"));
        return JSON.stringify([answers(one, a), answers(other, b), own !== undefined && own === others]);
      };
      const [a, b] = [new AskedLabels(unreadNamespace("a")), new AskedLabels(unreadNamespace("b"))];
      for (const selector of one) a.ask(selector);
      for (const selector of other) b.ask(selector);
      a.compare("app", b.fact);
      b.compare("app", a.fact);
      a.share(b);
      b.share(a);
      const pairs = ([first, second]: readonly (readonly NamespaceFact[])[]) =>
        new Set(first?.flatMap((fact) => second?.map((each) => pairOf(fact, each)) ?? []));
      expect(pairs([a.completions() ?? [], b.completions() ?? []])).toEqual(pairs(all));
    }),
    { numRuns: 50 },
  );
});

test("what stands for other values has nothing that selectors ask for", () => {
  const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  for (const text of printable) {
    const asked = new AskedLabels(unreadNamespace("a"));
    asked.ask(requirements([{ operator: "Contains", key: "app", text }]));
    expect(asked.completions()).toHaveLength(2);
  }
});

test("too many texts are said to be too many", () => {
  const asked = new AskedLabels(unreadNamespace("a"));
  for (let at = 0; at < 40; at++)
    asked.ask(requirements([{ operator: "Contains", key: "app", text: `x${at}` }]));
  expect(asked.completions()).toBeNull();
});
