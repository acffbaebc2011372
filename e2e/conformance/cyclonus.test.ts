// What Cyclonus prints is read as it means it: from a text of its form, and from the program itself, which can make up connections
// without a cluster (--mock).

import { spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { cyclonusProgress, parseCyclonus } from "./cyclonus.ts";
import { testWithPrograms } from "./describe.ts";
import { pathOf } from "./programs.ts";
import { suiteFacts } from "./suites.ts";

const rule = "+------+--------+------+-------+-------+---------+-----+------+-----+";
const row = (...cells: readonly string[]) =>
  `| ${Array.from({ length: 9 }, (_, at) => (cells[at] ?? "").padEnd(6)).join(" | ")} |\n${rule}`;
const tried = (step: string, wrong: string, right: string, tcp: string) =>
  row("", "", step, wrong, right, "9", tcp, "144 / 144 (100%)", "-");
const head = `testing 2 cases

test #1: egress: deny all
 - tags: deny-all, egress
test #2: labels change
 - tags: set-pod-labels
`;
const first = `starting test case #1
evaluating test case: egress: deny all
0 wrong, 9 ignored, 72 correct
finished policy #1
`;
const second = `starting test case #2
evaluating test case: labels change
Discrepancy found:1 wrong, 9 ignored, 71 correct
finished policy #2
`;
const table = (...rows: readonly string[]) =>
  `SummaryTable:\n${rule}\n${row("TEST", "RESULT", "STEP/TRY", "WRONG", "RIGHT", "IGNORED")}\n${rows.join("\n")}\n\nTag results:\n`;
const good = [row("1: egress: deny all", "passed"), tried("Step 1, try 1", "0", "72", "144 / 144 (100%)")];
const bad = [
  row("2: labels change", "failed"),
  tried("Step 1, try 1", "0", "72", "144 / 144 (100%)"),
  tried("Step 2, try 1", "1", "71", "142 / 144 (98%)"),
];

test("cases by number and description, with the connections of their steps that are wrong", () => {
  const { tests, broken } = parseCyclonus(head + first + second + table(...good, ...bad));
  expect(broken).toBeNull();
  expect(tests.map(({ name, outcome, verdicts }) => [name, outcome, verdicts])).toEqual([
    ["001 egress: deny all", "passed", { wrong: 0, of: 288 }],
    ["002 labels change", "failed", { wrong: 2, of: 576 }],
  ]);
  expect(tests[1]?.failedParts).toEqual(["step 2: 1 of 72 pairs of pods are wrong"]);
  expect(tests[1]?.output).toContain("Discrepancy found");
  expect(tests[0]?.output).not.toContain("Discrepancy found");
});

test("a description of several lines is one", () => {
  const lines = `| 1: egress: deny | passed ${"|  ".repeat(7)}|\n| all             |        ${"|  ".repeat(7)}|\n${rule}`;
  const { tests } = parseCyclonus(head + first + second + table(lines, ...good.slice(1), ...bad));
  expect(tests.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
});

test("a step that is right at its second try did not pass, whatever Cyclonus calls it", () => {
  const late = [row("2: labels change", "passed"), ...bad.slice(2), tried("Step 2, try 2", "0", "72", "-")];
  const { tests } = parseCyclonus(head + first + second + table(...good, ...late));
  expect(tests[1]?.outcome).toBe("failed");
});

test("a case without a judged connection did not pass", () => {
  const none = [row("2: labels change", "passed"), tried("Step 1, try 1", "0", "0", "-")];
  const { tests } = parseCyclonus(head + first + second + table(...good, ...none));
  expect(tests.map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
  const steps = [row("2: labels change", "passed")];
  expect(parseCyclonus(head + first + second + table(...good, ...steps)).tests[1]?.outcome).toBe("failed");
});

test.each([
  ["before it listed its cases", "", "it did not say how many cases it has"],
  ["in a case", head + first + second.slice(0, 40), "it ended without its table"],
  ["with a case that is not in the table", head + first + table(...good), "its table has 1 of 2 cases"],
  ["without a case of the tags", "testing 0 cases\n", "it has no such case"],
  [
    "because pods did not run",
    `time="2026-11-27T18:00:00Z" level=fatal msg="pods not ready"\n`,
    `time="2026-11-27T18:00:00Z" level=fatal msg="pods not ready"`,
  ],
])("a run that ended %s is broken", (_when, output, why) => {
  expect(parseCyclonus(output).broken).toBe(why);
});

test("a case that began and is not in the table failed", () => {
  const { tests } = parseCyclonus(head + first + second.slice(0, 40));
  expect(tests.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["001 egress: deny all", "failed"],
    ["002 labels change", "failed"],
  ]);
});

test("progress is of whole cases", () => {
  const ended = (head + first + second).split("\n").map(cyclonusProgress());
  expect(ended.filter((one) => one !== null)).toEqual([
    { name: "001 egress: deny all", outcome: "passed" },
    { name: "002 labels change", outcome: "failed" },
  ]);
});

const generate = (...args: readonly string[]) =>
  spawnSync(pathOf("cyclonus"), ["generate", "--mock", ...args], {
    ...{ encoding: "utf8", timeout: patience(60_000), maxBuffer: 2 ** 28 },
  }).stdout;

testWithPrograms(["cyclonus"])("Cyclonus has as many cases by default as are expected", () => {
  const listed = generate("--dry-run").match(/^test #/gm);
  expect(listed).toHaveLength(suiteFacts.cyclonus.tests);
});

testWithPrograms(["cyclonus"])("the table that the program prints is read whole", () => {
  const flags = ["--retries=0", "--perturbation-wait-seconds=0", "--ignore-loopback"];
  const output = generate("--destination-type=pod-ip", ...flags, "--include=action");
  const { tests, broken } = parseCyclonus(output);
  expect(broken).toBeNull();
  expect(tests.length).toBeGreaterThan(3);
  // Connections that are made up are wrong where something is to be denied.
  expect(tests.some(({ outcome }) => outcome === "failed")).toBe(true);
  for (const { outcome, verdicts } of tests) {
    expect(outcome).toBe(verdicts?.wrong === 0 ? "passed" : "failed");
    expect(verdicts?.of).toBeGreaterThan(0);
  }
});
