// The words of a report on a policy: of the log and of its condition.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem } from "../model/problem.ts";
import type { Realization } from "../policy/contracts/dialect.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { isOfNames } from "../policy/contracts/unenforced.ts";

export function unenforcedText({ reason }: Unenforced): string {
  if (reason === "Staged") return "a policy is staged, and not in force";
  if (isOfNames(reason)) return "a policy is in force, but for names that are not resolved";
  return reason === "KindNotFollowed"
    ? "a policy is not followed now, and may say something else than its rows"
    : "the rows of a policy are written and without effect";
}

/** Of a policy that is in force all the same: a part of it is left out, or stricter than written. */
export function isError({ severity }: Problem): boolean {
  return severity === "error";
}

export function partlyMessage(record: PolicyRecord): string {
  return failureMessage({ ...record, policy: null }, record.problems);
}

/** While the chassis are asked. */
export function writtenOnly(record: PolicyRecord): readonly [Realization, string] {
  if (record.problems.some(isError)) return ["partly", partlyMessage(record)];
  return ["underWay", "the rows are in the Northbound database, and not yet on every chassis"];
}

export function problemText({ code, field, message }: Problem): string {
  return field === "" ? `${code}: ${message}` : `${code} at ${field}: ${message}`;
}

/** Documented messages first. */
export function failureMessage({ kind, object, policy }: PolicyRecord, problems: readonly Problem[]): string {
  const texts = problems.map((problem) => ({
    documented: kind.conditions?.problem(object, problem) ?? null,
    common: problemText(problem),
  }));
  // Several findings may have one documented message.
  const documented = new Set(texts.map((text) => text.documented).filter((text) => text !== null));
  const others = texts.filter((text) => text.documented === null).map(({ common }) => common);
  const before = policy === null ? [] : ["the policy's previous version stays in force"];
  return [...documented, ...others, ...before].join("; ");
}
