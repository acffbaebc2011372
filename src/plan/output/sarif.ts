// A plan as SARIF 2.1.0, for code scanning: a result for each change, at the edits that cause it. Fingerprints hold no line and no count
// of pods, so that a change stays the same one when files and clusters grow.

import { createHash } from "node:crypto";
import { refText } from "../../analysis/ref.ts";
import { physicalLocation, sarifLog } from "../../analysis/sarif.ts";
import { printable } from "../../model/quote.ts";
import type { Gate } from "../gate.ts";
import { isRefused, refusesUnjudged } from "../gate.ts";
import type { PlanReport, SummaryLine, Unjudged } from "../report.ts";
import type { Shown } from "../words.ts";
import { placeOfEdit } from "./places.ts";
import { endsText, shownLines, unjudgedText, whyTexts } from "../words.ts";

const longest = 2000;
const shownPlaces = 10;

const rules = [
  { id: "newly-denied", about: "Connections that were allowed or unknown are denied." },
  { id: "newly-allowed", about: "Connections that were denied or unknown are allowed." },
  { id: "now-unknown", about: "Policies of equal priority disagree about connections." },
  { id: "not-judged", about: "No connection of a changed policy was evaluated." },
] as const;
const idOf = { denied: "newly-denied", allowed: "newly-allowed", unknown: "now-unknown" } as const;

export function planSarif(report: PlanReport, gate: Gate, shown: Shown, version: string): string {
  const declared = rules.map(({ id, about }) => ({
    ...{ id, shortDescription: { text: about }, defaultConfiguration: { level: "warning" } },
  }));
  const results = [
    ...shownLines(report, shown).map((line) => resultOf(line, report, gate)),
    ...report.unjudged.map((one) => unjudgedOf(one, gate)),
  ];
  return sarifLog({ name: "northgate plan", version, rules: declared }, results);
}

function resultOf(line: SummaryLine, report: PlanReport, gate: Gate): unknown {
  const { change, edits } = line;
  const isGated = gate.failOn.length > 0 && isRefused(gate, line);
  const level = isGated ? "error" : change === "allowed" ? "note" : "warning";
  const text = [endsText(line), ...whyTexts(line)].map(safe).join(". ");
  const names = edits.map(({ op, object }) => `${op} ${refText(object)}`).sort();
  return {
    ...common(idOf[change], level, `${text}.`),
    locations: edits
      .slice(0, shownPlaces)
      .map((edit) => located(refText(edit.object), placeOfEdit(edit, report))),
    partialFingerprints: fingerprint([change, line.old, names, line.traffic]),
  };
}

function unjudgedOf(one: Unjudged, gate: Gate): unknown {
  const level = refusesUnjudged(gate) ? "error" : "warning";
  return {
    ...common("not-judged", level, `${safe(unjudgedText(one))}.`),
    locations: [located(refText(one.policy), null)],
    partialFingerprints: fingerprint([one.policy, one.why]),
  };
}

function common(ruleId: string, level: string, text: string): object {
  return { ruleId, ruleIndex: rules.findIndex(({ id }) => id === ruleId), level, message: { text } };
}

function located(name: string, place: string | null): object {
  return {
    ...physicalLocation(place),
    logicalLocations: [{ fullyQualifiedName: safe(name), kind: "object" }],
  };
}

function fingerprint(content: unknown): object {
  const hash = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return { "northgatePlan/v1": hash.slice(0, 32) };
}

function safe(text: string): string {
  return printable(text, longest);
}
