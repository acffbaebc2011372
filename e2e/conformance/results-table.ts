// Results for people, as text and as markdown, and as JSON and back. Says beside every result which SCTP the pods spoke.

import { printable } from "../../src/model/quote.ts";
import { joinParts } from "./joined-parts.ts";
import { type SuiteName, suiteNames } from "./programs.ts";
import { type Outcome, type SuiteRun, type SuiteTest, verdictOf } from "./results.ts";
import { suiteFacts } from "./suites.ts";

/** Which library agnhost has: its own over the kernel's sockets, or the one of e2e/suites/sctp. */
export type Sctp = "kernel" | "replaced";

/** What runs leave behind as JSON. */
export interface Results {
  readonly machine: string;
  readonly node: string;
  readonly ovn: string;
  readonly sctp: Sctp;
  readonly runs: readonly SuiteRun[];
}

const sctpSentences: Readonly<Record<Sctp, string>> = {
  kernel: "SCTP is the kernel's.",
  replaced:
    "This machine's kernel has no SCTP: in the pods' program, agnhost, the SCTP library is replaced by one of this project over raw IP sockets (e2e/suites/sctp). The suites themselves are unmodified.",
};

/** @throws Error when this is not what was written here. */
export function parseResults(json: string): Results {
  const results: unknown = JSON.parse(json);
  if (!isResults(results)) throw new Error("these are no results of make conformance");
  return results;
}

function isResults(value: unknown): value is Results {
  return (
    typeof value === "object" &&
    value !== null &&
    "runs" in value &&
    Array.isArray(value.runs) &&
    "sctp" in value
  );
}

/** Whether two runs are of the same suite, families and cluster, so that the later one replaces the other. */
export function isSameKind(one: Kind, other: Kind): boolean {
  const words = ({ suite, families = "ipv4", cluster = "agent" }: Kind) => [suite, families, cluster].join();
  return words(one) === words(other);
}

type Kind = Pick<SuiteRun, "suite" | "families" | "cluster">;

/** Suites in their order, each with its runs in theirs. */
function bySuite(runs: readonly SuiteRun[]): readonly (readonly [SuiteName, readonly SuiteRun[]])[] {
  const joined = joinParts(runs);
  return suiteNames
    .map((name) => [name, joined.filter(({ suite }) => suite === name)] as const)
    .filter(([, of]) => of.length > 0);
}

export function textTable({ runs, sctp }: Results): string {
  const lines = runs.flatMap((run) => [
    "",
    headOf(run),
    ...run.tests.flatMap((test) => [
      `  ${symbolOf(test)} ${measureOf(test).padStart(7)}  ${printable(test.name, 300)}${againText(test)}`,
      ...(verdictOf(test) === "failed" ? reasonsOf(test).map((line) => `               ${line}`) : []),
    ]),
    ...(run.broken === null ? [] : [`  ${printable(run.broken, 300)}`]),
  ]);
  return `${lines.join("\n")}\n\n${sctpSentences[sctp]}\n`;
}

const symbols: Readonly<Record<Outcome, string>> = {
  passed: "passed ",
  failed: "FAILED ",
  skipped: "skipped",
};

function symbolOf(test: SuiteTest): string {
  const verdict = verdictOf(test);
  return verdict === "passed" && test.again.length > 0 ? "re-run " : symbols[verdict];
}

function headOf(run: SuiteRun): string {
  const of = (outcome: Outcome) => run.tests.filter((test) => verdictOf(test) === outcome).length;
  const late = run.tests.filter((test) => verdictOf(test) === "passed" && test.again.length > 0).length;
  const skipped = of("skipped") === 0 ? "" : `, ${of("skipped")} skipped`;
  const name = run.part === undefined ? run.suite : `${run.suite}, ${run.part}`;
  return `${name}: ${of("passed") - late} passed, ${late} passed on a re-run, ${of("failed")} failed${skipped}, ${Math.round(run.seconds)} s`;
}

function seconds(value: number | null): string {
  return value === null ? "no end" : `${value.toFixed(1)} s`;
}

/** Its seconds; where the suite does not say them, its verdicts. */
function measureOf({ seconds: value, verdicts }: SuiteTest): string {
  return value === null && verdicts !== undefined
    ? `${verdicts.wrong} of ${verdicts.of} wrong`
    : seconds(value);
}

function againText({ outcome, again }: SuiteTest): string {
  return again.length === 0
    ? ""
    : ` (first ${outcome}; run again: ${again.map((one) => one.outcome).join(", ")})`;
}

/** The parts that failed and what a reader looks for first; all of it is in the output. */
function reasonsOf({ failedParts, output }: SuiteTest): readonly string[] {
  const told = output
    .split("\n")
    .filter((line) => /Expected connection|Expected (allowed|blocked)|\[FAILED\]|Error:/.test(line));
  return [
    ...failedParts.map((part) => printable(part, 160)),
    ...told.slice(0, 6).map((line) => printable(line.trim(), 200)),
  ];
}

/** The results section of docs/conformance.md. */
export function markdown({ runs, sctp, machine, node, ovn }: Results): string {
  const groups = bySuite(runs);
  const where = `${machine}; Node ${node}, OVN ${ovn}. ${sctpSentences[sctp]}`;
  const summary = [
    "| suite | run | tests | passed at once | passed on a re-run | failed | not run | time | load | date | commit | families | cluster |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...groups.flatMap(([name, of]) => of.map((run, at) => summaryLine(name, run, at + 1))),
  ];
  const races = groups.flatMap(([name]) => {
    const { race } = suiteFacts[name];
    return race === null ? [] : [`A test of \`${name}\` is run again, up to three times, when ${race}.`];
  });
  return [
    where,
    summary.join("\n"),
    ...logsOf(runs),
    ...races,
    ...groups.map(([name, of]) => detail(name, of)),
  ].join("\n\n");
}

function summaryLine(name: SuiteName, run: SuiteRun, number: number): string {
  const passed = run.tests.filter((test) => verdictOf(test) === "passed");
  const again = passed.filter((test) => test.again.length > 0).length;
  const { tests } = suiteFacts[name];
  const time = `${Math.floor(run.seconds / 60)} min ${Math.floor(run.seconds % 60)} s`;
  const failed = run.tests.filter((test) => verdictOf(test) === "failed").length;
  const notRun = Math.max(tests, run.tests.length) - passed.length - failed;
  const counts = [tests, passed.length - again, again, failed, notRun];
  return `| ${[`\`${name}\``, number, ...counts, time, run.load.toFixed(1), ...originOf(run)].join(" | ")} |`;
}

/** Its date, commit, families and cluster. */
function originOf({ when, commit, families, cluster = "agent" }: SuiteRun): readonly string[] {
  return [when.slice(0, 10), commit ?? "not recorded", families ?? "not recorded", cluster];
}

/** The checksums by which the logs of these runs are known; none where none were recorded. */
function logsOf(runs: readonly SuiteRun[]): readonly string[] {
  const lines = runs.flatMap(({ logs = [] }) => logs.map(({ name, sha256 }) => `${sha256}  ${name}`));
  if (lines.length === 0) return [];
  return [
    `What each run printed is in [docs/conformance/logs](conformance/logs), compressed. By \`sha256sum\`, after \`gunzip\`:\n\n\`\`\`text\n${lines.join("\n")}\n\`\`\``,
  ];
}

/** Each test with the seconds or verdicts of each run. */
function detail(name: SuiteName, runs: readonly SuiteRun[]): string {
  const names = [...new Set(runs.flatMap(({ tests }) => tests.map((test) => test.name)))].sort();
  const lines = names.map((test) => {
    const cells = runs.map(({ tests }) => cellOf(tests.find((one) => one.name === test)));
    return `| ${cell(test)} | ${cells.join(" | ")} |`;
  });
  const titles = runs.map(({ families = "", cluster = "" }, at) => `${at + 1} ${families} ${cluster}`.trim());
  const head = `| \`${name}\`: ${suiteFacts[name].title} | ${titles.join(" | ")} |`;
  return [head, `| --- | ${runs.map(() => "---").join(" | ")} |`, ...lines].join("\n");
}

function cellOf(test: SuiteTest | undefined): string {
  if (test === undefined) return "not run";
  const verdict = verdictOf(test);
  const tries = test.again.length;
  const again = tries === 0 ? "" : verdict === "passed" ? ` on re-run ${tries}` : `, ${tries} run again`;
  return `${verdict === "passed" ? "passed" : `**${verdict}**`}${again}, ${measureOf(test)}`;
}

/** A name as it may stand in a table. */
function cell(text: string): string {
  return printable(text, 300).replace(/[\\|<>[\]*_`]/g, "\\$&");
}
