// What doctor found, for people: a line for each check, and its remedy below.

import { styleText } from "node:util";
import type { Finding, FindingState } from "../../doctor/finding.ts";
import type { DoctorReport } from "../../doctor/report.ts";
import { folded } from "../../lib/folded.ts";
import { printable } from "../../model/quote.ts";

const words: Readonly<Record<FindingState, string>> = {
  ...{ ok: "ok", fail: "FAIL", unknown: "unknown", skipped: "skipped" },
};
const paints = { ok: "green", fail: "red", unknown: "yellow", skipped: "dim" } as const;

const longest = 1_000;

/** `width`: of lines; null: as wide as they are. */
export function formatDoctor(
  { checks, counts }: DoctorReport,
  width: number | null,
  colours: boolean,
): string {
  const wide = Math.max(...checks.map(({ check }) => check.length));
  const lines = checks.flatMap((one) => linesOf(one, wide, width, colours));
  const sum = (["ok", "fail", "unknown", "skipped"] as const)
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${words[state]}`);
  return [...lines, "", sum.join(", "), ""].join("\n");
}

function linesOf(
  { check, state, text, remedy }: Finding,
  wide: number,
  width: number | null,
  colours: boolean,
): readonly string[] {
  const word = words[state].padEnd(words.unknown.length);
  const indent = word.length + wide + 4;
  const label = `${word}  ${check.padEnd(wide)}  `;
  // What is painted has characters that take no room.
  const [first = "", ...more] = folded(`${label}${printable(text, longest)}`, width, indent);
  const painted = colours ? styleText(["bold", paints[state]], word, { validateStream: false }) : word;
  const below =
    remedy === null ? [] : folded(`${" ".repeat(indent)}→ ${printable(remedy, longest)}`, width, indent + 2);
  return [`${painted}${first.slice(word.length)}`, ...more, ...below];
}
