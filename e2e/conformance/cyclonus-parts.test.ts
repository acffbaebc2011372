// Every case of Cyclonus' default is in exactly one part, by the program's own list; parts that ended are one run again.

import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import {
  casesOfCyclonus,
  casesWith,
  type CyclonusTags,
  listedCases,
  numbersOf,
  parts,
} from "./cyclonus-parts.ts";
import { parseCyclonus } from "./cyclonus.ts";
import { testWithPrograms } from "./describe.ts";
import { joinParts } from "./joined-parts.ts";
import { pathOf } from "./programs.ts";
import { complaintsOf, type SuiteRun } from "./results.ts";
import { suiteFacts } from "./suites.ts";

const list = `testing 3 cases

test #1: empty pods
 - tags: peer-pods, ingress
test #2: egress: deny all
 - tags: deny-all, egress
test #3: empty pods
 - tags: peer-pods, egress
`;

test("a part's cases by their numbers in the whole", () => {
  const cases = listedCases(list);
  expect(numbersOf({ include: ["peer-pods"], exclude: [] }, cases)).toEqual([1, 3]);
  expect(numbersOf({ include: [], exclude: ["peer-pods"] }, cases)).toEqual([2]);
  expect(numbersOf({ include: ["peer-pods", "deny-all"], exclude: ["egress"] }, cases)).toEqual([1]);
});

const ofPart = `testing 2 cases

test #1: empty pods
 - tags: peer-pods, ingress
test #2: empty pods
 - tags: peer-pods, egress
starting test case #1
finished policy #1
starting test case #2
`;

test("a case of a part is called by its number in the whole, and a part of another size is broken", () => {
  const { tests } = parseCyclonus(ofPart, [1, 3]);
  expect(tests.map(({ name }) => name)).toEqual(["001 empty pods", "003 empty pods"]);
  expect(parseCyclonus(ofPart, [1, 2, 3]).broken).toBe("it has 2 cases of this part, not 3");
});

const part = (name: string, tests: readonly string[], more: Partial<SuiteRun> = {}): SuiteRun => ({
  ...{
    suite: "cyclonus",
    part: name,
    families: "ipv4",
    commit: "1",
    program: "abc",
    when: "2026-11-27T20:00:00Z",
  },
  ...{ seconds: 10, load: tests.length, broken: null, logs: [{ name: `${name}.log`, sha256: name }] },
  tests: tests.map((test) => ({
    ...{ name: test, outcome: "passed", seconds: null, output: "", failedParts: [], again: [] },
  })),
  ...more,
});

test("parts become a run, and what is missing of it is complained of", () => {
  const anp = { ...part("", ["a"]), suite: "anp" };
  delete (anp as { part?: string }).part;
  const [one, two, three, other] = joinParts([
    part("targets", ["002 b"]),
    anp,
    part("rest", ["001 a", "003 c"], { commit: "2" }),
    part("targets", ["002 b"]),
    part("rest", [], { program: "def", broken: "it ended without its table" }),
  ]);
  expect(one).toEqual({
    ...part("", ["001 a", "002 b", "003 c"], { seconds: 20, load: 2, commit: "1, 2" }),
    part: undefined,
    logs: ["targets", "rest"].map((name) => ({ name: `${name}.log`, sha256: name })),
  });
  expect(one).not.toHaveProperty("part");
  expect(two).toBe(anp);
  expect(three?.tests.map(({ name }) => name)).toEqual(["002 b"]);
  expect(other?.broken).toBe("rest: it ended without its table");
  if (one === undefined || three === undefined) throw new Error("there are four runs");
  expect(complaintsOf(one, 3, new Map())).toEqual([]);
  expect(complaintsOf(three, 3, new Map())).toEqual(["cyclonus: 1 tests instead of 3"]);
});

testWithPrograms(["cyclonus"])("each case of the default is in one part, and the program agrees", () => {
  const cases = casesOfCyclonus();
  const numbers = parts.map((one) => numbersOf(one, cases));
  expect(numbers.flat().sort((a, b) => a - b)).toEqual(
    Array.from({ length: suiteFacts.cyclonus.tests }, (_, at) => at + 1),
  );
  for (const [at, tags] of parts.entries()) expect(sizeOf(tags)).toBe(numbers[at]?.length);
});

testWithPrograms(["cyclonus"])(
  "cases that the default leaves out are run when their tag is asked for",
  () => {
    expect(sizeOf(casesWith([]))).toBe(suiteFacts.cyclonus.tests);
    expect(sizeOf(casesWith(["end-port"]))).toBe(12);
    expect(sizeOf(casesWith(["action"]))).toBe(6);
  },
);

/** By the program. */
function sizeOf({ include, exclude }: CyclonusTags): number {
  const tags = [...include.map((tag) => `--include=${tag}`), ...exclude.map((tag) => `--exclude=${tag}`)];
  const { stdout } = spawnSync(pathOf("cyclonus"), ["generate", "--mock", "--dry-run", ...tags], {
    ...{ encoding: "utf8", timeout: patience(60_000), maxBuffer: 2 ** 28 },
  });
  return Number(/^testing (\d+) cases$/m.exec(stdout)?.[1]);
}
