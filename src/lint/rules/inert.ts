// NG016: policies that change nothing: without rules, or with rules that all come to nothing (NG001, NG002, NG004), and that
// isolate no pod.

import { directions } from "../../policy/ir.ts";
import type { Policy } from "../../policy/ir.ts";
import type { Context } from "../context.ts";
import type { Draft } from "../draft.ts";
import { ofPolicy } from "../draft.ts";
import type { Entry } from "../reach/order.ts";
import { hidersOf, shadowsOf } from "./order.ts";

export function* inertPolicy(context: Context): Generator<Draft> {
  for (const policy of context.policies) {
    const entries = context.entries().filter((entry) => entry.policy === policy);
    if (isolates(policy, context) || !entries.every((entry) => isIdle(entry, context))) continue;
    yield {
      ...{ severity: "warning", target: ofPolicy(policy), field: "" },
      message:
        entries.length === 0
          ? "has no rules, so it does nothing"
          : "does nothing: none of its rules decides anything",
      fix: "delete it, or write the rules that were meant",
    };
  }
}

/** Whether it denies what its rules leave open, to some pod where pods are known. */
function isolates(policy: Policy, context: Context): boolean {
  if (!directions.some((direction) => policy.unmatched[direction] === "deny")) return false;
  return !context.hasPods || context.reach.selectsPods(policy);
}

function isIdle(entry: Entry, context: Context): boolean {
  const fate = context.fates.of(entry);
  if (context.hasPods) return fate !== "speaks";
  return shadowsOf(entry, context).length > 0 || hidersOf(entry, context).length > 0;
}
