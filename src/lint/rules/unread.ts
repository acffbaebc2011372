// NG000: what is not understood as it is written: objects that are refused, files that cannot be read, parts of a policy that are
// left out, unknown fields, policies of kinds that are not read, and labels that were not read. Each is reported once:
// what another rule of the catalogue says is left to it. Repeats what the reader or the dialect reported, and finds nothing itself.

import type { SourceProblem } from "../../model/object.ts";
import { byForeignKind } from "../../unknowns/foreign.ts";
import type { ForeignPolicy } from "../../unknowns/foreign.ts";
import { excerptOf } from "../../lib/text/few.ts";
import { splitKey } from "../../model/object.ts";
import type { Problem } from "../../model/problem.ts";
import type { Policy } from "../../policy/ir.ts";
import { policyKey } from "../../policy/ir.ts";
import type { Context, PolicyRecord } from "../context.ts";
import type { Draft, Target } from "../draft.ts";
import { isOfClosedPart } from "./closed.ts";
import { isolatedByAccident } from "./isolation.ts";
import { isOfLimit } from "./limits.ts";

const shown = 3;

export function* notUnderstood(context: Context): Generator<Draft> {
  const isolated = Map.groupBy(isolatedByAccident(context), ({ target }) => target.key);
  for (const record of context.records) {
    const elsewhere = (isolated.get(record.key) ?? []).map(({ field }) => field);
    for (const problem of record.problems)
      if (!isOfLimit(problem) && !isOfClosedPart(problem) && !elsewhere.some((field) => isIn(field, problem)))
        yield ofRecord(record, problem);
  }
  for (const policy of context.policies) yield* ofLabels(policy, context);
  for (const problem of context.unread) yield ofSource(problem);
  for (const [kind, list] of byForeignKind(context.foreign)) yield* ofForeign(kind, list);
  for (const sentence of context.notAsked) yield ofCluster(sentence);
}

function ofCluster(sentence: string): Draft {
  const ref = { group: "", kind: "Cluster", namespace: null, name: "discovery" };
  return {
    ...{ severity: "error", field: "", about: sentence, place: null },
    target: { key: policyKey(ref), at: null, ref },
    message: `${sentence}: findings are as if there were none`,
    fix: "ask with the right to list them",
  };
}

/** Whom the policy selects is not known: findings that rest on it are missing. */
function* ofLabels(policy: Policy, { open }: Context): Generator<Draft> {
  const names = open.namespacesOf(policy);
  if (names.length === 0) return;
  const few = excerptOf(names.length, names.slice(0, shown));
  yield {
    ...{ severity: "error", target: { key: policy.key, at: null }, field: "", about: "labels" },
    message: `what it selects depends on labels of namespaces that were not read (${few}): findings that depend on them are left out`,
    fix: "give lint the Namespace objects too",
  };
}

/** One finding for each kind, at its first object. */
function* ofForeign(kind: string, list: readonly ForeignPolicy[]): Generator<Draft> {
  const [first] = list;
  if (first === undefined) return;
  const { group, namespace, name, place } = first;
  const count = list.length === 1 ? "" : ` (${list.length} objects)`;
  yield {
    ...{ severity: "error", field: "", about: kind, place },
    target: {
      key: policyKey({ group, kind: first.kind, namespace, name: "object" }),
      at: null,
      ref: { group, kind: first.kind, namespace, name },
    },
    message: `is of a kind of policy that Northgate does not read${count}: findings that it could change are left out`,
    fix: "look at it yourself, or skip this rule where something else is to look at it",
  };
}

/** Whether NG014 speaks of a part of the field. */
function isIn(field: Draft["field"], { field: whole, severity }: Problem): boolean {
  return severity === "warning" && typeof field === "string" && field.startsWith(`${whole}[`);
}

function ofRecord({ key, policy }: PolicyRecord, problem: Problem): Draft {
  const { field, code } = problem;
  const message = saidOf(problem);
  const common = { target: { key, at: null }, field, message, about: `${code} ${message}` };
  if (code === "UnknownField")
    return { ...common, severity: "error", fix: "correct its spelling, or remove it: it has no effect" };
  const isRefused = policy === null && problem.severity === "error";
  return {
    ...{ ...common, severity: problem.severity },
    fix: isRefused
      ? "correct it: the object is refused whole"
      : "write it otherwise, or remove it: until then it is left out, or stricter than it is written",
  };
}

/** Few outputs show the field. */
function saidOf({ field, message }: Problem): string {
  return field === "" ? message : `${field}: ${message}`;
}

function ofSource({ key, place, problem }: SourceProblem): Draft {
  const { field, code, severity } = problem;
  const message = saidOf(problem);
  const { file, line } = placeIn(place);
  const target: Target =
    key === undefined
      ? { key: policyKey(fileRef("file")), at: null, ref: fileRef(file) }
      : { key, at: null, ref: splitKey(key) };
  return {
    ...{ severity, target, field, message, about: `${file} ${code} ${message}` },
    place: line === null ? null : `${file}:${line}`,
    fix: "correct it: until then nothing of it counts",
  };
}

function fileRef(name: string): NonNullable<Target["ref"]> {
  return { group: "", kind: "File", namespace: null, name };
}

/** `file`, `file:line` or `file:line:column`; a path of the API has neither. */
function placeIn(place: string): { readonly file: string; readonly line: string | null } {
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/s.exec(place) ?? [];
  return file === undefined || line === undefined ? { file: place, line: null } : { file, line };
}
