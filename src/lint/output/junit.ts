// Findings as JUnit's XML, for a CI that shows tests: a suite for each policy, a case for each rule of the catalogue that was
// found in it; suppressed cases are skipped with their reason. Text of users is escaped, and no character that XML 1.0
// forbids is written.

import { element, escaped, xmlHead } from "../../lib/text/xml.ts";
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
  return `${xmlHead}${root}\n`;
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
