// A plan as workflow commands of GitHub Actions, which it shows beside the changed lines of a pull request: one for each change, at the
// edits that cause it. GitHub shows ten errors and ten warnings of a step, so that a change has few places, and the worst is first.
// Users' text is escaped: it ends no command and begins none.

import { fileAndLine } from "../../analysis/sarif.ts";
import { printable } from "../../model/quote.ts";
import type { Gate } from "../gate.ts";
import { isRefused, refusesUnjudged } from "../gate.ts";
import type { Edit, PlanReport, SummaryLine } from "../report.ts";
import type { Shown } from "../words.ts";
import { oneInEachFile, placeOfEdit } from "./places.ts";
import { endsText, shownLines, turnText, unjudgedText, whyTexts } from "../words.ts";

const shownPlaces = 3;
const longest = 2000;

type Level = "error" | "warning" | "notice";

export function planGithub(report: PlanReport, gate: Gate, shown: Shown): string {
  const lines = shownLines(report, shown);
  const unjudged = report.unjudged.map((one) =>
    command(refusesUnjudged(gate) ? "error" : "warning", { title: "Not judged" }, [unjudgedText(one)]),
  );
  const all = [...lines.flatMap((line) => commandsOf(line, report, gate)), ...unjudged];
  const none = command("notice", { title: "Network policy plan" }, ["No verdict differs."]);
  return [...(all.length === 0 ? [none] : all), ""].join("\n");
}

function commandsOf(line: SummaryLine, report: PlanReport, gate: Gate): readonly string[] {
  const level = levelOf(line, gate);
  const text = [endsText(line), ...whyTexts(line)];
  const edits = oneInEachFile(line.edits).slice(0, shownPlaces);
  const at = edits.map((edit) => propertiesOf(edit, report));
  return (at.length === 0 ? [{}] : at).map((place) =>
    command(level, { ...place, title: turnText(line) }, text),
  );
}

function levelOf(line: SummaryLine, gate: Gate): Level {
  if (isRefused(gate, line) && gate.failOn.length > 0) return "error";
  return line.change === "allowed" ? "notice" : "warning";
}

/** What was removed has no line. */
function propertiesOf(edit: Edit, report: PlanReport): Readonly<Record<string, string>> {
  const found = fileAndLine(placeOfEdit(edit, report));
  if (found === null) return {};
  return edit.op === "removed" ? { file: found.file } : { file: found.file, line: String(found.line) };
}

function command(
  level: Level,
  properties: Readonly<Record<string, string>>,
  text: readonly string[],
): string {
  const said = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(printable(value, longest))}`,
  );
  const lines = text.map((line) => data(printable(line, longest)));
  return `::${level} ${said.join(",")}::${lines.join("%0A")}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
