// A source port for a connection that was asked about without one: a number that no rule names, neither to mean it nor to except
// it. Rows say of such a rule only which numbers are left, so that what reads rows needs one of these.

import type { Policy, PortRange } from "../ir.ts";
import { directions } from "../ir.ts";
import type { SourcePorts } from "../normal-form.ts";
import { formOf } from "../normal-form.ts";
import { everyPort, rangesWithout } from "./port-ranges.ts";

/** undefined: no rule excepts source ports, or together they name every number. */
export function unnamedSourcePort(policies: Iterable<Pick<Policy, "rules">>): number | undefined {
  const named: PortRange[] = [];
  let hasExcepted = false;
  for (const sources of sourcesOf(policies)) {
    const left = sources.filter(({ hasUnnamed }) => hasUnnamed).flatMap(({ ranges }) => ranges);
    hasExcepted ||= left.length > 0;
    if (left.length > 0) named.push(...rangesWithout([everyPort], left));
    named.push(...sources.filter(({ hasUnnamed }) => !hasUnnamed).flatMap(({ ranges }) => ranges));
    named.push(...sources.flatMap(({ except }) => except.ranges));
  }
  // The last: clients have high ones.
  return hasExcepted ? rangesWithout([everyPort], named).at(-1)?.end : undefined;
}

/** Of each rule. */
function* sourcesOf(policies: Iterable<Pick<Policy, "rules">>): Generator<readonly SourcePorts[]> {
  for (const { rules } of policies)
    for (const direction of directions)
      for (const rule of rules[direction])
        yield (formOf(rule, direction).traffic ?? []).flatMap(({ source }) => source ?? []);
}
