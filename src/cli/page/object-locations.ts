// The places of files in what the threads of the page have found. A thread knows no files: it leaves every place empty, and the
// place follows from the policy, the rule and the field that the report names. No text of a report is read as anything else.

import type { Ref, RuleRef } from "../../analysis/ref.ts";
import type { Finding } from "../../lint/finding.ts";
import type { ObjectKey, LocationOf } from "../../model/object.ts";
import { kindTextOf, objectKey } from "../../model/object.ts";
import type { Decider, Deciders, PlanReport, VerdictClass } from "../../plan/report.ts";
import type { Dialect } from "../../policy/contracts/dialect.ts";
import { dialectsByKind } from "../../policy/contracts/dialect.ts";

export class ObjectLocations {
  readonly #dialects: ReturnType<typeof dialectsByKind>;
  readonly #placeOf: LocationOf;

  constructor(dialects: readonly Dialect[], placeOf: LocationOf) {
    this.#dialects = dialectsByKind(dialects);
    this.#placeOf = placeOf;
  }

  ofFinding(finding: Finding): Finding {
    const { policy, rule, field, related } = finding;
    return {
      ...finding,
      rule: rule === null ? null : this.#ofRule(policy, rule),
      place: this.#placeOf(keyOf(policy), field),
      related: related.map((one) => ({
        ...one,
        rule: one.rule === null ? null : this.#ofRule(one.policy, one.rule),
      })),
    };
  }

  ofDeciders({ egress, ingress }: Deciders): Deciders {
    return { egress: this.#ofDecider(egress), ingress: this.#ofDecider(ingress) };
  }

  #ofDecider(decider: Decider): Decider {
    const { policy, rule } = decider;
    if (policy === undefined || rule === undefined) return decider;
    return { ...decider, rule: this.#ofRule(policy, rule) };
  }

  #ofRule(policy: Ref, rule: RuleRef): RuleRef {
    const key = keyOf(policy);
    const { direction, index } = rule;
    const field = this.#dialects
      .get(kindTextOf(key))
      ?.fieldOf({ kind: "rule", direction, index, field: "rule" });
    return { ...rule, place: field === undefined ? null : this.#placeOf(key, field) };
  }
}

function keyOf(ref: Ref): ObjectKey {
  return objectKey(ref, ref.namespace, ref.name);
}

/** Each age has its own files. */
export function placedPlan(
  report: PlanReport,
  places: Readonly<Record<"old" | "new", ObjectLocations>>,
): PlanReport {
  const placed = (one: VerdictClass): VerdictClass => ({
    ...one,
    by: { old: places.old.ofDeciders(one.by.old), new: places.new.ofDeciders(one.by.new) },
  });
  return { ...report, verdicts: { ...report.verdicts, changes: report.verdicts.changes.map(placed) } };
}
