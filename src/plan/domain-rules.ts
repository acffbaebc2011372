// Rules that name domains, which nobody resolves here: the connections that such a rule decides are not compared. A policy of
// which a rule of that sort was edited was not judged in that part; the others are a caveat.

import { isDeepStrictEqual } from "node:util";
import { refOf, refText, ruleText } from "../analysis/ref.ts";
import { fewOf } from "../lib/few.ts";
import type { PolicyObject } from "../model/object.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import type { Caveat, Unjudged } from "./report.ts";
import type { Both } from "./world.ts";
import { ages } from "./world.ts";

const shownNames = 3;

/** An egress rule that names domains. */
export interface DomainRule {
  readonly policy: Policy;
  readonly rule: Rule;
  /** Of the policy. */
  readonly object: PolicyObject;
}

export function unresolved(rules: Both<readonly DomainRule[]>): {
  readonly unjudged: readonly Unjudged[];
  readonly caveats: readonly Caveat[];
} {
  const edited = ages.flatMap((age) => {
    const others = rules[age === "old" ? "new" : "old"];
    return rules[age].filter((one) => !others.some((other) => isSame(one, other)));
  });
  const unjudged = edited.map(({ policy, rule }): Unjudged => {
    const why = `in part: ${ruleText("egress", rule)} names domains, which are not resolved here`;
    return { policy: refOf(policy), why };
  });
  const named = rules.new.map(({ policy, rule }) => `${refText(policy.ref)} ${ruleText("egress", rule)}`);
  const text = `domains are not resolved here, and connections to them are not compared: ${fewOf(named.length, named.slice(0, shownNames))}`;
  return { unjudged, caveats: named.length === 0 ? [] : [{ code: "DomainName", text }] };
}

function isSame(one: DomainRule, other: DomainRule): boolean {
  if (one.policy.key !== other.policy.key || one.rule.index !== other.rule.index) return false;
  return isDeepStrictEqual(egressIn(one.object.spec), egressIn(other.object.spec));
}

/** All that decides what an egress rule does. */
function egressIn(spec: unknown): unknown {
  if (typeof spec !== "object" || spec === null) return spec;
  return Object.fromEntries(Object.entries(spec).filter(([name]) => name !== "ingress"));
}
