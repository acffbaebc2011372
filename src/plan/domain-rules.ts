// Rules that name domains, which are not resolved here: the connections that such a rule decides are not compared. A policy of
// which a rule of that sort was edited was not judged in that part; the others are a caveat. In force such a rule denies
// everything where it is no Allow, and hides what is changed behind it: where the worlds without these rules differ otherwise,
// this is reported.

import { isDeepStrictEqual } from "node:util";
import { refOf, refText, ruleText } from "../analysis/ref.ts";
import { excerptOf } from "../lib/text/few.ts";
import type { PolicyObject } from "../model/object.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import type { Caveat, Unjudged, VerdictClass } from "./report.ts";
import type { Both } from "../verdicts/worlds.ts";
import type { PlanWorld } from "./world.ts";
import { ages, both } from "../verdicts/worlds.ts";

const shownNames = 3;

/** An egress rule that names domains. */
export interface DomainRule {
  readonly policy: Policy;
  readonly rule: Rule;
  /** Of the policy. */
  readonly object: PolicyObject;
}

/** `classes`: those of the rules in force; `without`: makes those of the worlds without these rules. */
export function unresolved(
  rules: Both<readonly DomainRule[]>,
  classes: readonly VerdictClass[],
  without: () => readonly VerdictClass[],
): {
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
  const closing = ages.flatMap((age) =>
    rules[age].filter((one) => one.rule.action !== "allow" && !edited.includes(one)),
  );
  const isHiding = closing.length > 0 && !isDeepStrictEqual(textsOf(classes), textsOf(without()));
  const hiding = (isHiding ? closing : []).map(({ policy, rule }): Unjudged => {
    const why = `in part: ${ruleText("egress", rule)} names domains, which are not resolved here, and the edit depends on what it denies`;
    return { policy: refOf(policy), why };
  });
  const named = rules.new.map(({ policy, rule }) => `${refText(policy.ref)} ${ruleText("egress", rule)}`);
  const text = `domains are not resolved here, and connections to them are not compared: ${excerptOf(named.length, named.slice(0, shownNames))}`;
  return {
    unjudged: [...unjudged, ...hiding],
    caveats: named.length === 0 ? [] : [{ code: "DomainName", text }],
  };
}

/** The worlds as if none of these rules matched anything. */
export function withoutDomains(worlds: Both<PlanWorld>, rules: Both<readonly DomainRule[]>): Both<PlanWorld> {
  return both((age) => {
    const named = new Set(rules[age].map(({ rule }) => rule));
    const policies = worlds[age].policies.map((policy) => {
      const egress = policy.rules.egress.filter((rule) => !named.has(rule));
      return egress.length === policy.rules.egress.length
        ? policy
        : { ...policy, rules: { ...policy.rules, egress } };
    });
    return { ...worlds[age], policies };
  });
}

/** Equal for classes of the same connections, whichever rule decides them. */
function textsOf(classes: readonly VerdictClass[]): readonly string[] {
  return classes
    .map(({ families, from, to, traffic, old, new: next }) =>
      JSON.stringify([families, from, to, traffic, old, next]),
    )
    .sort();
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
