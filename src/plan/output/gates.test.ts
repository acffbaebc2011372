// Outputs for machines: annotations of GitHub, SARIF and JUnit, by strict readers, whatever a user has written; levels and failures
// follow the gate.

import { describe, expect, test } from "@jest/globals";
import { readJunit } from "../../../test/support/junit.ts";
import { sarifFaults } from "../../../test/support/sarif.ts";
import type { Gate } from "../gate.ts";
import type { Edit, PlanReport, SummaryLine } from "../report.ts";
import { planGithub } from "./github.ts";
import { planJunit } from "./junit.ts";
import { planSarif } from "./sarif.ts";

const evil = "a\u001b[31m%\r\n::error::x, y: ]]> <b>&\"'\u0000\u202e";
const shown = { rows: false, nodes: false };
const open: Gate = { failOn: [], allowUnjudged: false };
const strict: Gate = { failOn: ["allow-to-deny"], allowUnjudged: false };

function editOf(op: Edit["op"], place: string | null, name = evil): Edit {
  return { op, object: { group: "", kind: "NetworkPolicy", namespace: "shop", name }, place };
}

function lineOf(change: SummaryLine["change"], edits: readonly Edit[], isOwnNode = false): SummaryLine {
  const verdicts = {
    denied: ["allow", "deny"],
    allowed: ["deny", "allow"],
    unknown: ["allow", "unknown"],
  } as const;
  const [old, next] = verdicts[change];
  return {
    ...{ change, old, new: next, families: ["IPv4"], from: evil, to: "shop app=db" },
    traffic: [{ protocol: "tcp", ports: [[80, 80]] }],
    ...{
      causes: [evil],
      isExcerpt: false,
      tried: 1,
      effects: [{ code: "DNS", text: "DNS lost: all" }],
      edits,
    },
    ...{ classes: [0], dividedByNodes: [], isOwnNode },
  };
}

function reportOf(summary: readonly SummaryLine[], unjudged: PlanReport["unjudged"] = []): PlanReport {
  return {
    ...{ schema: "northgate.plan/1", against: "dir:base/", objects: { added: [], changed: [], removed: [] } },
    ...{ pods: { added: [], removed: [] }, workloads: { added: [], removed: [] } },
    ...{ rows: { add: 0, change: 0, delete: 0, changes: [] } },
    ...{ verdicts: { changes: [], summary }, unjudged, notes: [], caveats: [] },
  };
}

const policy = { group: "", kind: "NetworkPolicy", namespace: "shop", name: evil };
const full = reportOf(
  [
    lineOf("denied", [
      editOf("changed", "a, b/p.yaml:7"),
      editOf("changed", "a, b/p.yaml:9"),
      editOf("removed", "base/q.yaml:3"),
    ]),
    lineOf("allowed", []),
    lineOf("unknown", [editOf("added", "./c.yaml:1")]),
    lineOf("denied", [], true),
  ],
  [{ policy, why: evil }],
);

describe("annotations", () => {
  const commands = (gate: Gate) =>
    planGithub(full, gate, shown)
      .trimEnd()
      .split("\n")
      .map((line) => /^::(error|warning|notice) ([^:]*)::(.*)$/.exec(line)?.slice(1) ?? [line]);

  test("are one line each, at the edits: the first of each file; what was removed has a file alone", () => {
    const found = commands(open);
    expect(found.map(([level]) => level)).toEqual(["warning", "warning", "notice", "warning", "warning"]);
    expect(found.map(([, properties]) => properties)).toEqual([
      "file=a%2C b/p.yaml,line=7,title=NEWLY DENIED",
      "file=q.yaml,title=NEWLY DENIED",
      "title=NEWLY ALLOWED",
      "file=./c.yaml,line=1,title=NOW UNKNOWN",
      "title=Not judged",
    ]);
    expect(found[0]?.[2]).toContain("%0ADNS lost: all");
    expect(found[0]?.[2]).toContain("a\\u{1b}[31m%25\\u{d}\\u{a}::error::x");
  });

  test("are errors where the gate refuses them", () => {
    expect(commands(strict).map(([level]) => level)).toEqual([
      "error",
      "error",
      "notice",
      "warning",
      "error",
    ]);
  });

  test("say that nothing differs", () => {
    expect(planGithub(reportOf([]), open, shown)).toBe(
      "::notice title=Network policy plan::No verdict differs.\n",
    );
  });
});

describe("SARIF", () => {
  const parsed = (report: PlanReport, gate: Gate): unknown =>
    JSON.parse(planSarif(report, gate, shown, "1.2.3"));

  test("is of the format; results are changes, with the place of each edit", () => {
    expect(sarifFaults(parsed(full, strict))).toEqual([]);
    const place = (uri: string, startLine: number) => ({
      physicalLocation: { artifactLocation: { uri }, region: { startLine } },
    });
    expect(parsed(full, strict)).toMatchObject({
      runs: [
        {
          tool: { driver: { name: "northgate plan" } },
          results: [
            {
              ...{ ruleId: "newly-denied", level: "error" },
              locations: [place("a,%20b/p.yaml", 7), place("a,%20b/p.yaml", 9), place("q.yaml", 3)],
            },
            { ruleId: "newly-allowed", level: "note", locations: [] },
            { ruleId: "now-unknown", level: "warning", locations: [place("c.yaml", 1)] },
            { ruleId: "not-judged", level: "error" },
          ],
        },
      ],
    });
    expect(parsed(full, open)).toMatchObject({
      runs: [{ results: [{ level: "warning" }, {}, {}, { level: "warning" }] }],
    });
  });

  test("has fingerprints without lines", () => {
    const prints = (line: number) => {
      const report = reportOf([lineOf("denied", [editOf("changed", `p.yaml:${line}`)])]);
      return JSON.stringify(parsed(report, open)).match(/"northgatePlan\/v1":"\w+"/g);
    };
    expect(prints(7)).toEqual(prints(8));
    expect(prints(7)).toHaveLength(1);
  });

  test("nothing differs: no result", () => {
    expect(sarifFaults(parsed(reportOf([]), open))).toEqual([]);
  });
});

describe("JUnit", () => {
  const read = (report: PlanReport, gate: Gate) => readJunit(planJunit(report, gate, shown));

  test("is of the format: a case for each change, which fails where the gate refuses it", () => {
    const failures = (gate: Gate) => read(full, gate).attributes.get("failures");
    expect([failures(open), failures(strict)]).toEqual(["3", "2"]);
    const suites = read(full, strict).children.map(({ attributes }) => attributes.get("name"));
    expect(suites).toEqual(["NEWLY DENIED", "NEWLY ALLOWED", "NOW UNKNOWN", "Not judged"]);
    const [denied] = read(full, strict).children.flatMap(({ children }) => children);
    expect(denied?.children.map(({ name }) => name)).toEqual(["failure"]);
    expect(denied?.children[0]?.text).toContain("DNS lost: all");
  });

  test("nothing differs: one case that passes", () => {
    const suite = read(reportOf([]), strict);
    expect([suite.attributes.get("tests"), suite.attributes.get("failures")]).toEqual(["1", "0"]);
  });
});
