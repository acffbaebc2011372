// NG005: rules that are stricter than they look, because a part of them is not known here or is empty: a deny then denies
// everything, an allow allows nothing. The dialect reports where; this file adds what no dialect reports.

import type { Problem, ProblemCode } from "../../model/problem.ts";
import { directions } from "../../policy/ir.ts";
import { isDomainField } from "../../unknowns/unknowns.ts";
import type { Context, PolicyRecord } from "../context.ts";
import type { Draft, Target } from "../draft.ts";

const fixOfNames =
  "allow the names in a rule of their own, and deny the rest by networks; --names poll resolves exact names, --names dnstap those with a * too";

const codes: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["UnknownPeer", "UnknownPort"]);

export function isOfClosedPart({ code, severity }: Problem): boolean {
  return severity === "warning" && codes.has(code);
}

export function* failsClosed(context: Context): Generator<Draft> {
  for (const record of context.records) {
    for (const { field, message } of record.problems.filter(isOfClosedPart))
      yield {
        ...{ severity: "warning", target: targetOf(record, field, context), field, message, about: field },
        fix: isDomainField(field)
          ? fixOfNames
          : "write the part as this version of the API has it, or remove it",
      };
    yield* emptyRules(record, context);
  }
}

/** Rules without peers for which no reason was reported: a rule whose peers were not understood has some in the manifest. */
function* emptyRules({ key, policy, problems }: PolicyRecord, context: Context): Generator<Draft> {
  if (policy === null) return;
  const dialect = context.dialectOf(key);
  for (const direction of directions)
    for (const rule of policy.rules[direction]) {
      const field = dialect.fieldOf({ kind: "rule", direction, index: rule.index, field: "rule" });
      if (rule.peers.length > 0 || problems.some((one) => one.field.startsWith(field))) continue;
      yield {
        ...{ severity: "warning", target: { key, at: { direction, rule } }, field },
        message: "has no peers, so it matches nothing",
        fix: "name its peers, or delete it",
      };
    }
}

/** The rule that the field is in. */
function targetOf({ key, policy }: PolicyRecord, field: string, context: Context): Target {
  const dialect = context.dialectOf(key);
  for (const direction of directions)
    for (const rule of policy?.rules[direction] ?? []) {
      const own = dialect.fieldOf({ kind: "rule", direction, index: rule.index, field: "rule" });
      if (field === own || field.startsWith(`${own}.`)) return { key, at: { direction, rule } };
    }
  return { key, at: null };
}
