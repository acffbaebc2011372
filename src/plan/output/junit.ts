// A plan as JUnit's XML, for a CI that shows tests: a suite for what comes to be denied, allowed and unknown and for what was not
// judged, a case for each change. A case fails where the gate refuses it; without a gate each does, as the exit code says.

import { printable } from "../../model/quote.ts";
import { element, escaped, xmlHead } from "../../lib/text/xml.ts";
import type { Gate } from "../gate.ts";
import { isRefused, refusesUnjudged } from "../gate.ts";
import type { PlanReport } from "../report.ts";
import type { Shown } from "../words.ts";
import { endsText, shownLines, turnText, unjudgedText, whyTexts } from "../words.ts";

const longest = 2000;

interface Case {
  readonly suite: string;
  readonly name: string;
  readonly text: string;
  readonly fails: boolean;
}

export function planJunit(report: PlanReport, gate: Gate, shown: Shown): string {
  const cases = casesOf(report, gate, shown);
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(([suite, list]) =>
    element("testsuite", { name: suite, ...countsOf(list), skipped: 0, time: "0" }, list.map(caseText)),
  );
  return `${xmlHead}${element("testsuites", { name: "northgate plan", ...countsOf(cases) }, suites)}\n`;
}

function casesOf(report: PlanReport, gate: Gate, shown: Shown): readonly Case[] {
  const lines = shownLines(report, shown).map((line) => ({
    suite: turnText(line),
    name: endsText(line),
    text: whyTexts(line).join("\n"),
    fails: isRefused(gate, line),
  }));
  const unjudged = report.unjudged.map((one) => ({
    ...{ suite: "Not judged", name: unjudgedText(one), text: one.why, fails: refusesUnjudged(gate) },
  }));
  const all = [...lines, ...unjudged];
  return all.length > 0 ? all : [{ suite: "verdicts", name: "no verdict differs", text: "", fails: false }];
}

function countsOf(cases: readonly Case[]): Readonly<Record<string, number>> {
  return { tests: cases.length, failures: cases.filter(({ fails }) => fails).length, errors: 0 };
}

function caseText({ suite, name, text, fails }: Case): string {
  const lines = text.split("\n").map(safe).join("\n");
  const inner = fails
    ? [element("failure", { type: suite, message: safe(name) }, [escaped(lines)])]
    : text === ""
      ? []
      : [element("system-out", {}, [escaped(lines)])];
  return element("testcase", { classname: suite, name: safe(name), time: "0" }, inner);
}

function safe(text: string): string {
  return printable(text, longest);
}
