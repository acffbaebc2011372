// NG014: pods that are cut off by what is not written: a policy isolates a direction that neither its rules nor the field for
// it name, isolates one of some pods and has rules for the other only, or has rules for a direction that does not count. Asked of
// any dialect whose policies isolate, by the fields that it names.

import { isEverything } from "../../model/selectors/folding.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { Context, PolicyRecord } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy } from "../draft.ts";
import { valueAt } from "../written.ts";

export function* isolatedByAccident(context: Context): Generator<Draft> {
  for (const record of context.records) {
    const { policy } = record;
    if (policy === null || !directions.some((one) => policy.unmatched[one] === "deny")) continue;
    for (const direction of directions) yield* ofDirection(policy, direction, record, context);
  }
}

function* ofDirection(
  policy: Policy,
  direction: Direction,
  { object }: PolicyRecord,
  context: Context,
): Generator<Draft> {
  const dialect = context.dialectOf(policy.key);
  const said = dialect.fieldOf({ kind: "unmatched", direction });
  const isSaid = valueAt(object, said) !== undefined;
  const common = { severity: "warning", target: ofPolicy(policy), about: direction } as const;
  const other = direction === "ingress" ? "egress" : "ingress";
  if (policy.unmatched[direction] === "next") {
    const first = dialect.fieldOf({ kind: "rule", direction, index: 0, field: "rule" });
    if (valueAt(object, first) === undefined) return;
    yield {
      ...{ ...common, field: first },
      message: `has ${direction} rules, and ${said} does not name that direction: they have no effect`,
      fix: `name ${direction} in ${said}, or delete the rules`,
    };
  } else if (policy.rules[direction].length === 0 && !isSaid) {
    yield {
      ...{ ...common, field: said },
      message: `denies all ${direction} of its pods, though neither a rule nor ${said} speaks of ${direction}`,
      fix: `write ${said} if that is meant, or add the rules`,
    };
  } else if (policy.rules[direction].length === 0 && policy.rules[other].length > 0 && !isOfAllPods(policy)) {
    yield {
      ...{ ...common, field: said },
      message: `denies all ${direction} of its pods: ${said} names it, and the rules are for ${other} only`,
      fix: `take ${direction} out of ${said}, or add the rules`,
    };
  }
}

/** A policy of all pods that names a direction is the usual default deny, with what every pod needs, DNS for one, in the other. */
function isOfAllPods({ subject }: Policy): boolean {
  return subject.every((group) => group.kind === "pods" && isEverything(group.pods));
}
