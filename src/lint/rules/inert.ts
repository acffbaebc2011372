// NG016: policies that change nothing: without rules, or with rules that all have no effect (NG001, NG002, NG004), and that
// isolate no pod. Where that holds only for the objects read here, the finding says so, and a policy with a rule that closes it
// is not reported.

import { directions } from "../../policy/ir.ts";
import type { Policy } from "../../policy/ir.ts";
import { isClosing } from "../closing.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy } from "../draft.ts";
import type { OrderedRule } from "../../verdicts/entries.ts";
import { hidersOf, shadowsOf } from "./hiding.ts";
import { isCertain } from "./order.ts";

export function* inertPolicy(context: Context): Generator<Draft> {
  for (const policy of context.policies) {
    const entries = context.entries().filter((entry) => entry.policy === policy);
    if (isolates(policy) || !entries.every((entry) => isIdle(entry, context))) continue;
    const always = entries.every((entry) => isAlwaysIdle(entry, context));
    if (!always && (entries.some(isClosing) || context.open.namespacesOf(policy).length > 0)) continue;
    if (!entries.every((entry) => isKnown(entry, context))) continue;
    yield { severity: "warning", target: ofPolicy(policy), field: "", ...words(entries, always) };
  }
}

function words(entries: readonly OrderedRule[], always: boolean): Pick<Draft, "message" | "fix"> {
  if (entries.length === 0)
    return {
      message: "has no rules, so it does nothing",
      fix: "delete it, or write the intended rules",
    };
  const fix = "see the findings about its rules";
  if (always) return { message: "does nothing: none of its rules ever decides anything", fix };
  return {
    message: "does nothing among today's objects: none of its rules decides anything there",
    fix: `none is needed if its objects are added later; otherwise ${fix}`,
  };
}

/** Whether it denies what its rules leave open: also for pods that are added later, where it selects none today. */
function isolates({ unmatched }: Policy): boolean {
  return directions.some((direction) => unmatched[direction] === "deny");
}

/** Whether it would be idle whatever the unread objects say. */
function isKnown(entry: OrderedRule, context: Context): boolean {
  const hiding = shadowsOf(entry, context) ?? hidersOf(entry, context);
  return hiding === null ? !context.open.isDoubtful(entry) : isCertain(entry, hiding, context);
}

function isIdle(entry: OrderedRule, context: Context): boolean {
  return context.hasPods ? context.reachability.of(entry) !== "speaks" : isAlwaysIdle(entry, context);
}

/** By what the selectors say, whatever objects there are. */
function isAlwaysIdle(entry: OrderedRule, context: Context): boolean {
  if (entry.rule.peers.length === 0) return true;
  return (shadowsOf(entry, context) ?? hidersOf(entry, context))?.always === true;
}
