// Findings as JUnit's XML, for a CI that shows tests: a suite for each policy, a case for each rule of the catalogue that was
// found in it; suppressed cases are skipped with their reason. Text of users is escaped, and no character that XML 1.0
// forbids is written.

import { ruleOf } from "../catalogue.ts";
import type { Finding, Report } from "../finding.ts";
import { byPolicy, nameOfRef, nameOfRule, safe } from "./names.ts";

type Failing = (finding: Finding) => boolean;

/** `failing`: which findings are failures; the others are in the case's output. */
export function formatJunit({ findings }: Report, failing: Failing): string {
  const fails = (one: Finding): boolean => one.suppressed === null && failing(one);
  const suites = byPolicy(findings).map(([policy, list]) => {
    const cases = list.map((finding) => caseOf(finding, nameOfRef(policy), fails(finding)));
    return element("testsuite", { name: nameOfRef(policy), ...countsOf(list, fails) }, cases);
  });
  const { tests, failures } = countsOf(findings, fails);
  const root = element("testsuites", { name: "northgate lint", tests, failures, errors: 0 }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function countsOf(findings: readonly Finding[], fails: Failing) {
  return {
    tests: findings.length,
    failures: findings.filter(fails).length,
    errors: 0,
    skipped: findings.filter(({ suppressed }) => suppressed !== null).length,
    time: "0",
  };
}

function caseOf(finding: Finding, suite: string, isFailure: boolean): string {
  const { id, rule, severity, message, fix, place, suppressed } = finding;
  const name = [id, ruleOf(id)?.name ?? "", rule === null ? "" : nameOfRule(rule)].filter(Boolean).join(" ");
  const lines = [place === null ? "" : safe(place), safe(message), fix === "" ? "" : `fix: ${safe(fix)}`];
  const text = lines.filter((line) => line !== "").join("\n");
  const inner =
    suppressed !== null
      ? element("skipped", { message: safe(suppressed) }, [])
      : isFailure
        ? element("failure", { type: severity, message: safe(message) }, [escaped(text)])
        : element("system-out", {}, [escaped(`${severity}: ${text}`)]);
  return element("testcase", { classname: suite, name, time: "0" }, [inner]);
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  inside: readonly string[],
): string {
  const said = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return inside.length === 0
    ? `<${name}${said.join("")}/>`
    : `<${name}${said.join("")}>${inside.join(inside.length > 1 ? "\n" : "")}</${name}>`;
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** What is invisible is escaped before, by `safe`; what XML 1.0 has no character for is left out. */
function escaped(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities.get(character) ?? "")
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "");
}
