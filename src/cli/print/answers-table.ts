// Many answers of explain for people: a line for each connection, with what was expected, why it is unknown where it is, and a count at
// the end. A terminal folds the lines; what is piped has each whole.

import { folded } from "../../lib/folded.ts";
import { printable } from "../../model/quote.ts";
import type { Side } from "../../explain/answer.ts";
import { tierText } from "../../explain/tiers.ts";
import { endName } from "../../explain/many/end-name.ts";
import type { AnswerTableOptions } from "./answer-table.ts";
import { painted, ruleText, trafficText } from "./answer-table.ts";
import type { ShownAnswer, ShownAnswerOrError, ShownMany } from "./shown-answer.ts";
import { isMany } from "./shown-answer.ts";

export function formatAnswers(
  told: readonly ShownAnswerOrError[],
  telling: Pick<AnswerTableOptions, "colours" | "width">,
): string {
  const { width = null } = telling;
  const answers = told.filter(isAnswered);
  const rows = answers.map((one) => ({ one, cells: cellsOf(one) }));
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(0, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const lines = rows.flatMap(({ one, cells: [verdict = "", ...cells] }) => {
    const head = verdict.padEnd(widths[0] ?? 0);
    const rest = cells.map((cell, at) => cell.padEnd(widths[at + 1] ?? 0));
    const line = [head, ...rest, expectedText(one), rowsText(one)].join("  ").trimEnd();
    const indent = head.length + 2;
    const [first = "", ...more] = [line, ...whyLines(one, indent)].flatMap((each) =>
      folded(each, width, indent),
    );
    if (one.verdict === "mixed") return [first, ...more];
    return [painted(first.slice(0, head.length), one.verdict, telling) + first.slice(head.length), ...more];
  });
  return [...lines, "", countText(told), ""].join("\n");
}

/** Only an unknown verdict needs its reasons to be used; `--all` shows every note. */
function whyLines(answer: ShownAnswer | ShownMany, indent: number): readonly string[] {
  if (answer.verdict !== "unknown") return [];
  return answer.caveats.map(({ code, text }) => `${" ".repeat(indent)}${code}: ${printable(text, 1000)}`);
}

function cellsOf(answer: ShownAnswer | ShownMany): readonly string[] {
  if (isMany(answer)) {
    const { from, to, protocol, port, groups } = answer;
    return [
      answer.verdict.toUpperCase(),
      `${printable(from.text)} → ${printable(to.text)}`,
      `${protocol}${port === null ? "" : ` ${port}`}`,
      `${groups.length} groups of ends`,
    ];
  }
  const { verdict, from, to, egress, ingress } = answer;
  return [
    verdict.toUpperCase(),
    `${printable(endName(from))} → ${printable(endName(to))}`,
    trafficText(answer),
    [egress, ingress]
      .filter((side) => side !== null)
      .map(sideText)
      .join("; "),
  ];
}

/** Who decides. */
export function sideText(side: Side): string {
  const { by, policy, rule } = side;
  const name = policy === undefined ? "" : printable(policy.name);
  switch (by) {
    case "rule":
      return rule === undefined ? name : `${name} ${ruleText(rule)}`;
    case "isolation":
      return `isolated by ${name}`;
    case "tie":
      return `a tie in the ${printable(tierText(side))} tier`;
    case "default":
      return "no policy";
    case "exempt":
      return "exempt";
  }
}

function isAnswered(told: ShownAnswerOrError): told is ShownAnswer | ShownMany {
  return !("error" in told);
}

function expectedText(told: ShownAnswer | ShownMany): string {
  if (told.met === undefined) return "";
  return told.met ? "as expected" : `✗ expected ${told.expected ?? ""}`;
}

function rowsText(told: ShownAnswer | ShownMany): string {
  const rows = isMany(told) ? undefined : told.rows;
  if (rows === undefined || rows.agrees) return "";
  return `✗ rows: ${rows.verdict}, ${rows.differences[0] ?? ""}`;
}

function countText(told: readonly ShownAnswerOrError[]): string {
  const answers = told.filter(isAnswered);
  const errors = told.length - answers.length;
  const tested = answers.filter(({ met }) => met !== undefined);
  const differ = tested.filter(({ met }) => met === false).length;
  const differing = answers.filter((one) => !isMany(one) && one.rows?.agrees === false).length;
  const parts = [
    `${answers.length} answered`,
    ...(tested.length > 0 ? [`${tested.length - differ} as expected`, `${differ} not`] : []),
    ...(differing > 0 ? [`the rows differ from ${differing}`] : []),
    ...(errors > 0 ? [`${errors} could not be asked`] : []),
  ];
  return parts.join(", ");
}
