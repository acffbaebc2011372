// What is said of a list of rules, and that it is looked through once. Work is counted in reads of the rules.

import { expect, test } from "@jest/globals";
import type { Rule } from "./ir.ts";
import { factsOf } from "./rule-list.ts";

const rule: Rule = {
  ...{
    index: 0,
    share: null,
    name: "",
    action: "allow",
    subject: null,
    peers: [],
    ports: null,
    logging: null,
  },
};

test("an empty list has nothing", () => {
  expect(factsOf([])).toEqual({
    ...{ last: 0, isAscending: true, passes: false, heads: [], dependsOnSubject: false },
  });
});

test("the last index, the order, a pass and a peer of the subject's namespace are found wherever they stand", () => {
  const own: Rule = {
    ...rule,
    peers: [
      { kind: "everything" },
      { kind: "sameNamespaces", keys: [], pods: { text: "", requirements: [] } as never },
    ],
  };
  const others = [1, 2].map((index): Rule => ({ ...rule, index }));
  for (const at of [0, 1, 2]) {
    const passing = others.toSpliced(at, 0, { ...rule, index: 7, action: "pass" });
    expect(factsOf(passing)).toMatchObject({
      ...{ last: 7, passes: true, dependsOnSubject: false },
      isAscending: at === 2,
    });
    expect(factsOf(others.toSpliced(at, 0, { ...own, index: 0 }))).toMatchObject({
      ...{ last: 2, passes: false, dependsOnSubject: true },
      isAscending: at === 0,
    });
  }
});

test("two rules of one index are not in order, and an index that is no number is not lost", () => {
  expect(factsOf([rule, rule]).isAscending).toBe(false);
  expect(factsOf([rule, { ...rule, index: NaN }, { ...rule, index: 3 }]).last).toBeNaN();
});

test("the first of each run of one index are its heads", () => {
  const [a, b, c, d] = [1, 1, 2, 1].map((index, at): Rule => ({ ...rule, index, share: `${at}` }));
  expect(factsOf([a, b, c, d].filter((one) => one !== undefined)).heads).toEqual([a, c, d]);
});

test("a list is looked through once", () => {
  let reads = 0;
  const counted: Rule = Object.defineProperty({ ...rule }, "action", {
    get: () => {
      reads++;
      return "pass";
    },
  });
  const rules = [counted];
  factsOf(rules);
  expect(factsOf(rules).passes).toBe(true);
  expect(reads).toBe(1);
  factsOf([counted]);
  expect(reads).toBe(2);
});
