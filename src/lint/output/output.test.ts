// Every output is of its format, whatever a user has written: SARIF and JUnit by strict readers, Markdown and the terminal by
// what must not be in them.

import { describe, expect, test } from "@jest/globals";
import { namespace, pod } from "../../../test/support/facts.ts";
import { readJunit } from "../../../test/support/junit.ts";
import { reportOf } from "../../../test/support/linted.ts";
import { anp, banp } from "../../../test/support/policies.ts";
import { sarifFaults } from "../../../test/support/sarif.ts";
import { catalogue } from "../catalogue.ts";
import type { Finding, Report } from "../finding.ts";
import { annotation } from "../suppressions.ts";
import { formatJunit } from "./junit.ts";
import { formatMarkdown } from "./markdown.ts";
import { formatSarif } from "./sarif.ts";
import { formatTable } from "./table.ts";

/** What each format, a terminal and a reader could take for an instruction. */
const evil = "\u001b[31m\u0000\u202e\n]]> <b>&amp;| @admin [x](javascript:1) `#` \"'\ud800\u009b";
const all = { namespaces: {} };
const deny = { name: evil, action: "Deny", from: [all] };
const world = [
  namespace("red"),
  pod("red", "a", { ips: ["10.0.0.1"] }),
  pod("red", "b", { ips: ["10.0.0.2"] }),
];
const suppressed = {
  ...anp("kept", { ingress: [deny, deny] }),
  annotations: new Map([[annotation, `NG001: ${evil}`]]),
};
const report = reportOf([
  ...world,
  suppressed,
  anp("p", { priority: 11, ingress: [deny, deny] }),
  banp({ ingress: [deny] }),
]);
const open = report.findings.filter((finding) => finding.suppressed === null);
const withPlace = (place: string): Report => ({
  ...report,
  findings: report.findings.map((finding) => ({ ...finding, place, related: [] })),
});

// Control characters are what is looked for.
// eslint-disable-next-line no-control-regex
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\ud800]/;

test("there is something to print", () => {
  expect([open.length > 1, report.counts.suppressed]).toEqual([true, 1]);
});

describe("SARIF", () => {
  const parsed = (of: Report): unknown => JSON.parse(formatSarif(of, "1.2.3"));
  const results = (of: Report) => (parsed(of) as { runs: { results: unknown[] }[] }).runs[0]?.results ?? [];

  test("is of the format, with all rules declared and the suppressed ones kept", () => {
    expect(sarifFaults(parsed(report))).toEqual([]);
    expect(parsed(report)).toMatchObject({
      version: "2.1.0",
      runs: [{ tool: { driver: { rules: catalogue.map(({ id }) => ({ id })) } } }],
    });
    expect(results(report)).toHaveLength(report.findings.length);
    expect(
      results(report).filter((one) => (one as { suppressions: unknown[] }).suppressions.length > 0),
    ).toHaveLength(1);
    expect(formatSarif(report, "1.2.3")).not.toMatch(unseen);
  });

  test("an empty report is of the format too", () => {
    expect(sarifFaults(parsed({ ...report, findings: [] }))).toEqual([]);
  });

  // prettier-ignore
  const places: [string, string, number][] = [
    ["policies/a.yaml:7", "policies/a.yaml", 7],
    ["./a b/ü#?.yaml:12", "a%20b/%C3%BC%23%3F.yaml", 12],
    ["/tmp/a:b.yaml:3", "file:///tmp/a:b.yaml", 3],
  ];
  test.each(places)("the place %s", (place, uri, startLine) => {
    const [first] = results(withPlace(place));
    expect(first).toMatchObject({
      locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
    });
    expect(sarifFaults(parsed(withPlace(place)))).toEqual([]);
  });

  test("fingerprints hold no line", () => {
    const prints = (of: Report) =>
      results(of).map((one) => (one as { partialFingerprints: unknown }).partialFingerprints);
    expect(prints(withPlace("a.yaml:7"))).toEqual(prints(withPlace("b.yaml:8")));
  });

  test("the check refuses what is not of the format", () => {
    expect(sarifFaults({ version: "2.1.0", runs: [{ tool: { driver: {} }, line: 1 }] })).toEqual([
      "$.runs[0].line: not of SARIF",
      "$.runs[0].tool.driver.name: missing",
    ]);
  });
});

describe("JUnit", () => {
  const failing = ({ severity }: Finding) => severity === "warning";

  test("is of the format: a suite for each policy, a case for each finding", () => {
    const xml = readJunit(formatJunit(report, failing));
    expect(xml.children.map(({ attributes }) => attributes.get("name"))).toEqual([
      ...["AdminNetworkPolicy kept", "AdminNetworkPolicy p", "BaselineAdminNetworkPolicy default"],
    ]);
    const cases = xml.children.flatMap(({ children }) => children);
    expect(cases).toHaveLength(report.findings.length);
    const kinds = cases.map(({ children }) => children[0]?.name);
    expect(kinds.filter((kind) => kind === "failure")).toHaveLength(open.filter(failing).length);
    expect(kinds.filter((kind) => kind === "skipped")).toHaveLength(1);
    expect(xml.attributes.get("failures")).toBe(String(open.filter(failing).length));
    const names = cases.map(({ attributes }) => attributes.get("name") ?? "");
    expect(names.filter((name) => name.includes("]]> <b>&amp;")).length).toBeGreaterThan(0);
  });

  test("an empty report is of the format too", () => {
    expect(readJunit(formatJunit({ ...report, findings: [] }, failing)).children).toEqual([]);
  });

  test("the reader refuses what is not of the format", () => {
    const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
    const wrong = [
      "<testsuites>",
      "<testsuites><b/></testsuites>",
      '<testsuites a="&x;"/>',
      '<testsuites><testsuite tests="1"/></testsuites>',
    ];
    for (const xml of wrong) expect(() => readJunit(head + xml)).toThrow();
  });
});

describe("Markdown", () => {
  test("has text of users as text alone", () => {
    const text = formatMarkdown(report);
    const rows = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---"));
    expect(rows).toHaveLength(open.length + 1);
    for (const row of rows) expect(row.split("|")).toHaveLength(7);
    expect(text).not.toMatch(unseen);
    expect(text.replaceAll("<br>", "")).not.toMatch(/<|@|\]\(|`/);
  });

  test("is cut at what a comment holds, and says so", () => {
    const [first] = open;
    if (first === undefined) throw new Error("nothing found");
    const many = Array.from({ length: 3000 }, () => first);
    const text = formatMarkdown({ ...report, findings: many });
    expect(text.length).toBeLessThan(60_100);
    expect(text).toMatch(/\n\d+ more are not shown\.\n$/);
  });
});

test("the terminal gets nothing that it could take for an instruction", () => {
  const text = formatTable(withPlace(`a\u001b[2J.yaml:1`), { all: true });
  expect(text).not.toMatch(unseen);
  expect(text).toContain("1 suppressed");
});
