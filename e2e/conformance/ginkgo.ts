// Reads the report that ginkgo writes of its own run (-ginkgo.json-report). Specs that a filter left out are in it too, as
// skipped and without an end; they are nobody's results. Refuses what is no such report, naming the field; what failed outside
// of the specs makes the run broken.

import { Field, parseJson, Problems, readAll } from "../../src/model/reader.ts";
import type { Outcome, SuiteOutput, TestResult } from "./results.ts";

/** States of ginkgo's types.SpecState; what is not here is a failure: panicked, timedout, interrupted, aborted. */
const outcomes: Readonly<Record<string, Outcome>> = {
  passed: "passed",
  skipped: "skipped",
  pending: "skipped",
};

/** Go's zero time. */
const never = "0001-01-01T00:00:00Z";

const most = 100_000;

/** @throws Error when the text is no report. */
export function parseGinkgo(json: string): SuiteOutput {
  const problems = new Problems();
  const reports = new Field(problems, "report", parseJson(json)).list(1, most) ?? [];
  const suites = readAll(reports, readSuite);
  const [first] = problems.list();
  if (suites === null || first !== undefined)
    throw new Error(`this is no report of ginkgo: ${first?.field ?? ""} ${first?.message ?? ""}`);
  return {
    tests: suites.flatMap(({ tests }) => tests),
    broken: suites.map(({ broken }) => broken).find((why) => why !== null) ?? null,
  };
}

/** For who watches what -ginkgo.v prints: the spec that a line ends; null: none. One for each run, as a name comes first. */
export function ginkgoProgress(): (line: string) => { name: string; outcome: Outcome } | null {
  let name = "";
  return (line) => {
    if (line.startsWith("[sig-")) name = line;
    const [ends, failure] = /^• (?:\[([A-Z]+)\] )?\[[\d.]+ seconds\]$/.exec(line) ?? [];
    return ends === undefined ? null : { name, outcome: failure === undefined ? "passed" : "failed" };
  };
}

function readSuite(report: Field): SuiteOutput | null {
  const nodes = report.at("SpecReports").list(0, most);
  const read = nodes === null ? null : readAll(nodes, readNode);
  if (read === null) return null;
  const special = report.at("SpecialSuiteFailureReasons").items();
  const reasons = special.map((reason) => reason.string() ?? "");
  const around = read.find(({ isSpec, result }) => !isSpec && result.outcome === "failed");
  const broken =
    reasons[0] ?? (around === undefined ? null : `${around.result.name} failed: ${around.result.output}`);
  return {
    tests: read.filter(({ isSpec, wasLeftOut }) => isSpec && !wasLeftOut).map(({ result }) => result),
    broken,
  };
}

interface Node {
  /** Or else a BeforeSuite and its like. */
  readonly isSpec: boolean;
  readonly wasLeftOut: boolean;
  readonly result: TestResult;
}

function readNode(node: Field): Node | null {
  const type = node.at("LeafNodeType").string();
  const state = node.at("State").string();
  const nanoseconds = node.at("RunTime").integer(0, Number.MAX_SAFE_INTEGER);
  if (type === null || state === null || nanoseconds === null) return null;
  const texts = node.at("ContainerHierarchyTexts").items();
  const name = [...texts, node.at("LeafNodeText")]
    .map((text) => optional(text))
    .filter((text) => text !== "");
  return {
    isSpec: type === "It",
    wasLeftOut: state === "skipped" && optional(node.at("EndTime")) === never,
    result: {
      name: name.join(" ") || type,
      outcome: outcomes[state] ?? "failed",
      seconds: nanoseconds / 1e9,
      output: ["CapturedGinkgoWriterOutput", "CapturedStdOutErr"]
        .map((field) => optional(node.at(field)))
        .concat(optional(node.at("Failure").at("Message")))
        .filter((text) => text !== "")
        .join("\n"),
      failedParts: [],
    },
  };
}

function optional(field: Field): string {
  return field.present ? (field.string() ?? "") : "";
}
