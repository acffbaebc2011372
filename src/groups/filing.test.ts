// A selector is always filed where the objects that it selects look, and as narrowly as its requirements allow.

import fc from "fast-check";
import { describe, expect, test } from "@jest/globals";
import { allOf, anyOf, everything, negated, requirements, selects } from "../model/selector.ts";
import type { Requirement } from "../model/selector.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { bucketsOf, filingOf, labelBucket } from "./filing.ts";
import { withLabels } from "../../test/support/facts.ts";

const buckets = (...labels: [string, string?][]) => labels.map((label) => JSON.stringify(label));
const web = withLabels({ app: "web" });
const hasTier = requirements([{ operator: "Exists", key: "tier" }]);
const notDb = requirements([{ operator: "NotIn", key: "app", values: ["db"] }]);
const contains = (key: string, text: string) => requirements([{ operator: "Contains", key, text }]);

describe("filingOf", () => {
  test.each([
    ["a label", web, buckets(["app", "web"])],
    ["a key", hasTier, buckets(["tier"])],
    ["a label rather than a key", allOf([hasTier, web]), buckets(["app", "web"])],
    [
      "the requirement with fewest values",
      requirements([
        { operator: "In", key: "a", values: ["1", "2"] },
        { operator: "In", key: "b", values: ["1"] },
        { operator: "NotIn", key: "c", values: ["1"] },
      ]),
      buckets(["b", "1"]),
    ],
    ["the key of a text", contains("app", "we"), buckets(["app"])],
    ["a label rather than a text", allOf([contains("app", "we"), web]), buckets(["app", "web"])],
    ["every side of an or", anyOf([hasTier, web]), buckets(["app", "web"], ["tier"])],
    ["what selects nothing, nowhere", anyOf([]), []],
    ["a name", namespacesNamed(["red"]), buckets(["#name", "red"])],
    ["a name rather than a key", allOf([hasTier, namespacesNamed(["red"])]), buckets(["#name", "red"])],
  ])("finds %s", (_, selector, expected) => {
    expect([...(filingOf(selector)?.buckets ?? ["unfiled"])].sort()).toEqual(expected.sort());
  });

  test.each([
    ["everything", everything],
    ["NotIn", notDb],
    ["DoesNotExist", requirements([{ operator: "DoesNotExist", key: "app" }])],
    ["a negation", negated(web)],
    ["a pseudo key, which everything has", requirements([{ operator: "Exists", key: "#name" }])],
    ["a text of a pseudo key", contains("#name", "re")],
    ["an or with an open side", anyOf([web, notDb])],
  ])("cannot file %s", (_, selector) => {
    expect(filingOf(selector)).toBeNull();
  });

  test("whoever is selected by whatever operators looks into a bucket", () => {
    const key = fc.constantFrom("a", "b", "#name");
    const word = fc.constantFrom("x", "y", "xy");
    const requirement: fc.Arbitrary<Requirement> = fc.oneof(
      fc.record({ operator: fc.constantFrom(...(["In", "NotIn"] as const)), key, values: fc.array(word) }),
      fc.record({ operator: fc.constantFrom(...(["Exists", "DoesNotExist"] as const)), key }),
      fc.record({
        operator: fc.constantFrom(...(["Contains", "StartsWith", "EndsWith"] as const)),
        key,
        text: word,
      }),
    );
    const list = fc.array(requirement, { maxLength: 2 }).map(requirements);
    const selector = fc.oneof(list, fc.array(list, { maxLength: 2 }).map(anyOf), list.map(negated));
    const label = fc.dictionary(fc.constantFrom("a", "b"), word);
    let filed = 0;
    fc.assert(
      fc.property(selector, label, word, (asked, table, name) => {
        const labels = new Map([...Object.entries(table), ["#name", name]]);
        const filing = filingOf(asked);
        if (filing === null || !selects(asked, labels)) return;
        // As in label-index.ts: a pseudo key has buckets of its values alone.
        const looked = new Set([...bucketsOf(new Map(Object.entries(table))), labelBucket("#name", name)]);
        expect(filing.buckets.some((bucket) => looked.has(bucket))).toBe(true);
        filed++;
      }),
      { numRuns: 3000 },
    );
    expect(filed).toBeGreaterThan(100);
  });

  test("holds for hostile keys and values too: whoever is selected looks into a bucket", () => {
    const text = fc.constantFrom("a", "b", "=", '"', "a=b", "");
    const table = fc.dictionary(text, text);
    fc.assert(
      fc.property(table, table, (wanted, had) => {
        const labels = new Map(Object.entries(had));
        const selector = anyOf([withLabels(wanted), withLabels(had)]);
        const filing = filingOf(selector);
        const looked = new Set(bucketsOf(labels));
        expect(selects(selector, labels)).toBe(true);
        expect(filing === null || filing.buckets.some((bucket) => looked.has(bucket))).toBe(true);
      }),
    );
  });
});
