// What suites print is read as they mean it, and judged so that nothing passes which did not run.

import { describe, expect, test } from "@jest/globals";
import { ginkgoProgress, parseGinkgo } from "./ginkgo.ts";
import { goTestProgress, parseGoTest } from "./go-test.ts";
import { complaintsOf, type SuiteRun, type SuiteTest, verdictOf } from "./results.ts";
import { markdown, type Results, textTable } from "./results-table.ts";
import { suiteFacts } from "./suites.ts";

const top = "TestConformanceProfiles";

/** As -test.v=test2json prints it, with ^ for the mark. */
const marked = (text: string) => text.replaceAll("^", "\u0016");

const whole = marked(`^=== RUN   ${top}
    suite.go:125: Test Setup: Applying base manifests
^=== RUN   ${top}/EgressUDP
    suite.go:189: Applying egress-udp.yaml
^=== RUN   ${top}/EgressUDP/Should_allow
^--- PASS: ${top}/EgressUDP/Should_allow (0.20s)
^=== NAME  ${top}/EgressUDP
^=== RUN   ${top}/EgressUDP/Should_deny
    helper.go:92: Expected connection to fail from a/b to c
--- PASS: ${top}/EgressUDP (9.99s)
^--- FAIL: ${top}/EgressUDP/Should_deny (0.10s)
^=== NAME  ${top}/EgressUDP
    apply.go:132: Deleting egress-udp
^--- FAIL: ${top}/EgressUDP (0.31s)
^=== NAME  ${top}
^=== RUN   ${top}/Gress
^--- PASS: ${top}/Gress (12.50s)
^=== NAME  ${top}
^=== RUN   ${top}/NamedPort
    suite.go:170: Skipping NamedPort: suite does not support it
^--- SKIP: ${top}/NamedPort (0.00s)
^=== NAME  ${top}
    conformance_profile_test.go:160: Conformance report:
        failedTests: 0
^--- FAIL: ${top} (13.00s)
^FAIL
`);

describe("go test -v", () => {
  test("tests with their outcomes, times, output and failed parts", () => {
    const { tests, broken } = parseGoTest(whole, top);
    expect(broken).toBeNull();
    expect(tests.map(({ name, outcome, seconds }) => [name, outcome, seconds])).toEqual([
      ["EgressUDP", "failed", 0.31],
      ["Gress", "passed", 12.5],
      ["NamedPort", "skipped", 0],
    ]);
    expect(tests[0]?.failedParts).toEqual(["Should_deny"]);
    expect(tests[0]?.output).toContain("Expected connection to fail");
    expect(tests[0]?.output).toContain("Deleting egress-udp");
    expect(tests[1]?.output).toBe("");
  });

  test("a test's output is not taken for a result when results are marked", () => {
    expect(parseGoTest(whole, top).tests[0]?.output).toContain(`--- PASS: ${top}/EgressUDP (9.99s)`);
  });

  test("plain, where the results of subtests come behind the test's own", () => {
    const plain = `=== RUN   ${top}
=== RUN   ${top}/Gress
=== RUN   ${top}/Gress/One
    helper.go:92: poke
--- FAIL: ${top} (2.00s)
    --- FAIL: ${top}/Gress (2.00s)
        --- FAIL: ${top}/Gress/One (1.00s)
FAIL
`;
    const { tests, broken } = parseGoTest(plain, top);
    expect(tests).toEqual([
      {
        name: "Gress",
        outcome: "failed",
        seconds: 2,
        failedParts: ["One"],
        output: expect.stringContaining("poke"),
      },
    ]);
    expect(broken).toBeNull();
  });

  test.each([
    [
      "in the middle of a test",
      whole.slice(0, whole.indexOf("    helper.go:92")),
      "EgressUDP began and did not end",
    ],
    [
      "between two tests",
      whole.slice(0, whole.indexOf("\u0016=== RUN   TestConformanceProfiles/Gress")),
      "it did not end",
    ],
    ["before it said a word", "", `there is no ${top} in its output`],
    [
      "by its own time limit",
      `${whole.slice(0, whole.indexOf("    helper.go:92"))}panic: test timed out after 40m0s\n`,
      "panic: test timed out after 40m0s",
    ],
  ])("a suite that ended %s is broken", (_when, output, why) => {
    const { tests, broken } = parseGoTest(output, top);
    expect(broken).toBe(why);
    expect(tests.filter(({ outcome }) => outcome === "passed")).toEqual([]);
  });

  test("a set-up that failed is told in its words", () => {
    const output = marked(`^=== RUN   ${top}
    helper.go:123: StatefulSet replicas not rolled out yet
        Error: Received unexpected error
^--- FAIL: ${top} (300.00s)
^FAIL
`);
    const { tests, broken } = parseGoTest(output, top);
    expect(tests).toEqual([]);
    expect(broken).toContain("it failed outside of its tests: helper.go:123");
  });

  test("another test of the program is none of the suite's", () => {
    const output = `=== RUN   TestOther/Gress\n--- PASS: TestOther/Gress (1.00s)\n`;
    expect(parseGoTest(output, top)).toEqual({ tests: [], broken: `there is no ${top} in its output` });
  });

  test("progress is told of whole tests alone", () => {
    const told = whole.split("\n").map(goTestProgress);
    expect(told.filter((one) => one !== null).map(({ name }) => name)).toEqual([
      "EgressUDP",
      "Gress",
      "NamedPort",
    ]);
  });
});

describe("ginkgo", () => {
  const spec = (leaf: string, state: string, more: object = {}) => ({
    ContainerHierarchyTexts: ["[sig-network] Netpol", "NetworkPolicy between server and client"],
    LeafNodeType: "It",
    LeafNodeText: leaf,
    State: state,
    EndTime: "2026-11-22T08:00:00Z",
    RunTime: 15_700_000_000,
    ...more,
  });
  const report = (nodes: readonly object[], more: object = {}) =>
    JSON.stringify([{ SuiteSucceeded: true, SpecialSuiteFailureReasons: null, SpecReports: nodes, ...more }]);
  const setUp = {
    ...spec("", "passed"),
    ContainerHierarchyTexts: null,
    LeafNodeType: "SynchronizedBeforeSuite",
  };

  test("specs by their whole names; those that a filter left out are not among them", () => {
    const failed = { Failure: { Message: "1 wrong" }, CapturedGinkgoWriterOutput: "probing" };
    const { tests, broken } = parseGinkgo(
      report([
        setUp,
        spec("should deny", "passed"),
        spec("should allow", "failed", failed),
        spec("should stop", "timedout"),
        spec("should skip itself", "skipped", { Failure: { Message: "no SCTP" } }),
        spec("is not asked for", "skipped", { EndTime: "0001-01-01T00:00:00Z", RunTime: 0 }),
      ]),
    );
    const prefix = "[sig-network] Netpol NetworkPolicy between server and client ";
    expect(broken).toBeNull();
    expect(tests.map(({ name, outcome, seconds }) => [name.replace(prefix, ""), outcome, seconds])).toEqual([
      ["should deny", "passed", 15.7],
      ["should allow", "failed", 15.7],
      ["should stop", "failed", 15.7],
      ["should skip itself", "skipped", 15.7],
    ]);
    expect(tests[1]?.output).toBe("probing\n1 wrong");
  });

  test("what fails around the specs makes the run broken", () => {
    const around = { ...setUp, State: "failed", Failure: { Message: "nodes are not schedulable" } };
    expect(parseGinkgo(report([around])).broken).toBe(
      "SynchronizedBeforeSuite failed: nodes are not schedulable",
    );
    const late = report([spec("should deny", "passed")], {
      SpecialSuiteFailureReasons: ["Suite Timeout Elapsed"],
    });
    expect(parseGinkgo(late).broken).toBe("Suite Timeout Elapsed");
  });

  test("progress is told by the name that came before", () => {
    const progress = ginkgoProgress();
    const lines = [
      "[SynchronizedBeforeSuite] PASSED [0.028 seconds]",
      "[sig-network] Netpol one",
      "  probing",
      "• [28.403 seconds]",
    ];
    const told = [...lines, "[sig-network] Netpol two", "• [FAILED] [1.5 seconds]"].map(progress);
    expect(told.filter((one) => one !== null)).toEqual([
      { name: "[sig-network] Netpol one", outcome: "passed" },
      { name: "[sig-network] Netpol two", outcome: "failed" },
    ]);
  });

  test.each(["", "{}", "[]", '[{"SpecReports":[{"State":1}]}]'])("%j is no report", (text) => {
    expect(() => parseGinkgo(text)).toThrow("this is no report of ginkgo: report");
  });
});

const one = (
  name: string,
  outcome: SuiteTest["outcome"],
  ...again: readonly SuiteTest["outcome"][]
): SuiteTest => {
  const result = {
    name,
    seconds: 1,
    output: "    helper.go:1: Expected connection to fail",
    failedParts: [],
  };
  return { ...result, outcome, again: again.map((outcome) => ({ ...result, outcome })) };
};
const run = (...tests: readonly SuiteTest[]): SuiteRun => ({
  ...{ suite: "anp", when: "2026-11-22T08:00:00Z", load: 1.25, seconds: 419 },
  ...{ tests, broken: null },
});

describe("a run is judged by what ran", () => {
  const none = new Map<string, string>();

  test.each([
    ["all passed", run(one("a", "passed"), one("b", "passed")), []],
    [
      "one failed and passed when run again",
      run(one("a", "failed", "failed", "passed"), one("b", "passed")),
      [],
    ],
    ["one never passed", run(one("a", "failed", "failed"), one("b", "passed")), ["anp: a failed"]],
    ["one was skipped", run(one("a", "skipped"), one("b", "passed")), ["anp: a was skipped"]],
    ["one did not run", run(one("a", "passed")), ["anp: 1 tests instead of 2"]],
    ["none ran", run(), ["anp: 0 tests instead of 2"]],
    [
      "it broke",
      { ...run(one("a", "passed"), one("b", "passed")), broken: "it did not end" },
      ["anp: it did not end"],
    ],
  ])("%s", (_name, what, complaints) => {
    expect(complaintsOf(what, 2, none)).toEqual(complaints);
  });

  test("a test that is left out by name needs no other excuse", () => {
    expect(complaintsOf(run(one("a", "skipped")), 1, new Map([["a", "needs NodePort"]]))).toEqual([]);
    expect(complaintsOf(run(one("a", "failed")), 1, new Map([["a", "needs NodePort"]]))).toEqual([
      "anp: a failed",
    ]);
  });

  test("the last go counts", () => {
    expect(verdictOf(one("a", "failed", "passed"))).toBe("passed");
    expect(verdictOf(one("a", "failed"))).toBe("failed");
  });
});

describe("tables", () => {
  const results = (sctp: Results["sctp"], ...runs: readonly SuiteRun[]): Results => {
    return {
      machine: "2 cores",
      node: "24",
      ovn: "25.03",
      sctp,
      runs,
    };
  };

  test("say beside every result which SCTP the pods spoke", () => {
    for (const table of [textTable, markdown]) {
      expect(table(results("replaced", run(one("a", "passed"))))).toContain("the SCTP library is replaced");
      expect(table(results("kernel", run(one("a", "passed"))))).toContain("SCTP is the kernel's.");
    }
  });

  test("say what failed and why, and what was run again", () => {
    const text = textTable(
      results("kernel", run(one("a", "failed"), one("b", "failed", "passed"), one("c", "passed"))),
    );
    expect(text).toContain("anp: 1 passed, 1 passed on a re-run, 1 failed, 419 s");
    expect(text).toContain("FAILED    1.0 s  a\n               helper.go:1: Expected connection to fail");
    expect(text).toContain("b (first failed; run again: passed)");
    const page = markdown(results("kernel", run(one("a", "failed")), run(one("b", "failed", "passed"))));
    expect(page).toContain("| a | **failed**, 1.0 s | not run |");
    expect(page).toContain("| b | not run | passed on re-run 1, 1.0 s |");
    expect(page).toContain(
      "| `anp` | 1 | 24 | 0 | 0 | 1 | 23 | 6 min 59 s | 1.3 | 2026-11-22 | not recorded | not recorded | agent |",
    );
    expect(page).toContain("| `anp` | 2 | 24 | 0 | 1 | 0 | 23 | 6 min 59 s | 1.3 | 2026-11-22 |");
    expect(page).toContain(suiteFacts.anp.race);
  });

  test("a name cannot leave its place", () => {
    const name = "a | b\u001b[31m\nc <script>";
    const page = markdown(results("kernel", run(one(name, "passed"))));
    expect(page).toContain("| a \\| b\\\\u{1b}\\[31m\\\\u{a}c \\<script\\> | passed, 1.0 s |");
    expect(textTable(results("kernel", run(one(name, "passed"))))).not.toContain("\u001b");
  });
});
