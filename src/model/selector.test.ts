import { describe, expect, test } from "@jest/globals";
import { allOf, anyOf, everything, negated, requirements, selects, type Requirement } from "./selector.ts";

const select = (list: readonly Requirement[], labels: Record<string, string>) =>
  selects(requirements(list), new Map(Object.entries(labels)));
const isWeb: Requirement = { operator: "In", key: "app", values: ["web"] };
const hasTier: Requirement = { operator: "Exists", key: "tier" };

describe("a requirement", () => {
  test.each<[Requirement, boolean, boolean, boolean]>([
    // app=web, app=db, no label at all
    [{ operator: "In", key: "app", values: ["web", "api"] }, true, false, false],
    [{ operator: "NotIn", key: "app", values: ["web", "api"] }, false, true, true],
    [{ operator: "Exists", key: "app" }, true, true, false],
    [{ operator: "DoesNotExist", key: "app" }, false, false, true],
    [{ operator: "Contains", key: "app", text: "e" }, true, false, false],
    [{ operator: "StartsWith", key: "app", text: "we" }, true, false, false],
    [{ operator: "StartsWith", key: "app", text: "b" }, false, false, false],
    [{ operator: "EndsWith", key: "app", text: "b" }, true, true, false],
    [{ operator: "EndsWith", key: "app", text: "B" }, false, false, false],
    [{ operator: "Contains", key: "app", text: "" }, true, true, false],
  ])("%j", (requirement, web, db, none) => {
    expect(select([requirement], { app: "web" })).toBe(web);
    expect(select([requirement], { app: "db" })).toBe(db);
    expect(select([requirement], {})).toBe(none);
  });

  test("takes an empty value for a value", () => {
    expect(select([{ operator: "Exists", key: "app" }], { app: "" })).toBe(true);
    expect(select([{ operator: "In", key: "app", values: [""] }], { app: "" })).toBe(true);
    expect(select([{ operator: "In", key: "app", values: [""] }], {})).toBe(false);
  });
});

describe("a tree", () => {
  const labels = new Map([["app", "web"]]);
  const yes = requirements([isWeb]);
  const no = requirements([hasTier]);

  test("holds like its words", () => {
    expect(selects(requirements([isWeb, hasTier]), labels)).toBe(false);
    expect(selects(allOf([yes, no]), labels)).toBe(false);
    expect(selects(anyOf([yes, no]), labels)).toBe(true);
    expect(selects(negated(no), labels)).toBe(true);
    expect(selects(negated(negated(no)), labels)).toBe(false);
  });

  test("without operands: all of nothing is everything, any of nothing is nothing", () => {
    expect(selects(everything, new Map())).toBe(true);
    expect(selects(allOf([]), labels)).toBe(true);
    expect(selects(anyOf([]), labels)).toBe(false);
  });
});

describe("canonical text", () => {
  test("does not know order and repetition", () => {
    const a = requirements([{ operator: "In", key: "app", values: ["x", "y", "x"] }, hasTier]);
    const b = requirements([hasTier, { operator: "In", key: "app", values: ["y", "x"] }, hasTier]);
    expect(a.text).toBe(b.text);
    expect(allOf([a, everything, b]).text).toBe(allOf([everything, b]).text);
    expect(anyOf([a, everything]).text).toBe(anyOf([everything, a]).text);
  });

  test("differs where the meaning does", () => {
    const single = (operator: "In" | "NotIn", ...values: string[]) =>
      requirements([{ operator, key: "app", values }]);
    const text = (operator: "Contains" | "StartsWith" | "EndsWith", asked: string) =>
      requirements([{ operator, key: "app", text: asked }]);
    const selectors = [
      everything,
      allOf([]),
      anyOf([]),
      single("In", "a"),
      single("NotIn", "a"),
      single("In", "a", "b"),
      single("In", 'a","b'),
      single("In"),
      requirements([{ operator: "Exists", key: "app" }]),
      requirements([{ operator: "DoesNotExist", key: "app" }]),
      requirements([isWeb, hasTier]),
      text("Contains", "a"),
      text("StartsWith", "a"),
      text("EndsWith", "a"),
      text("EndsWith", "b"),
      negated(single("In", "a")),
      anyOf([requirements([isWeb]), requirements([hasTier])]),
      allOf([requirements([isWeb]), requirements([hasTier])]),
    ];
    expect(new Set(selectors.map((selector) => selector.text)).size).toBe(selectors.length);
  });

  test("says of the empty text what it means: the label is there", () => {
    const exists = requirements([{ operator: "Exists", key: "app" }]);
    for (const operator of ["Contains", "StartsWith", "EndsWith"] as const)
      expect(requirements([{ operator, key: "app", text: "" }])).toEqual(exists);
  });

  test("leaves the given list as it was", () => {
    const values = ["b", "a"];
    requirements([{ operator: "In", key: "app", values }]);
    expect(values).toEqual(["b", "a"]);
  });
});
