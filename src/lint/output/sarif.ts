// Findings as SARIF 2.1.0 (OASIS), for code scanning: every rule of the catalogue is declared, suppressed findings are kept
// and marked, and fingerprints hold no line, so that a finding stays the same one when its file grows.

import { physicalLocation, sarifLog } from "../../analysis/sarif.ts";
import { catalogue } from "../catalogue.ts";
import type { Finding, Related, Report, Severity } from "../finding.ts";
import { nameOfRef, nameOfRule, safe } from "./names.ts";

const levels: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

export function formatSarif({ findings }: Report, version: string): string {
  const driver = { name: "northgate lint", version, rules: catalogue.map(ruleOf) };
  return sarifLog(driver, findings.map(resultOf));
}

function ruleOf({ id, name, severities: [usual], found, help }: (typeof catalogue)[number]): unknown {
  return {
    id,
    name: name.replace(/(?:^|\W+)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}` },
    fullDescription: { text: `Found when ${found}.` },
    help: { text: help },
    defaultConfiguration: { level: levels[usual] },
  };
}

function resultOf(finding: Finding): unknown {
  const { id, severity, rule, policy, message, fix, place, related, suppressed, fingerprint } = finding;
  const about = rule === null ? nameOfRef(policy) : `${nameOfRef(policy)} ${nameOfRule(rule)}`;
  const advice = fix === "" ? "" : ` Fix: ${safe(fix)}.`;
  return {
    ruleId: id,
    ruleIndex: catalogue.findIndex((one) => one.id === id),
    level: levels[severity],
    message: { text: `${about}: ${safe(message)}.${advice}` },
    locations: [
      { ...physicalLocation(place), logicalLocations: [{ fullyQualifiedName: about, kind: "object" }] },
    ],
    relatedLocations: related.map(relatedOf),
    partialFingerprints: { "northgateLint/v1": fingerprint },
    suppressions:
      suppressed === null ? [] : [{ kind: "inSource", status: "accepted", justification: safe(suppressed) }],
  };
}

function relatedOf({ policy, rule }: Related, at: number): unknown {
  const text = rule === null ? nameOfRef(policy) : `${nameOfRef(policy)} ${nameOfRule(rule)}`;
  return { id: at + 1, ...physicalLocation(rule?.place ?? null), message: { text } };
}
