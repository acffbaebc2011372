// What the IR means: the verdict on one connection, written from the text of the policy APIs and not from any backend's
// rows. Slow and plain on purpose: tests compare rows with its verdicts.
//
// Two sides: the egress side of the source and the ingress side of the destination must both allow a connection. On
// each side tiers are evaluated in their order, policies of a tier by priority and tie text (order.ts), rules of a policy from the top. The first rule
// that matches decides, `pass` continues with the next tier, and a connection that no tier decides is allowed. A pod that
// connects to itself is not subject to policies at all: do not call `judge` for it.
//
// The verdict is that on a connection's first packet. What answers an allowed connection passes with it, save that of a policy
// whose allows are stateless: that connection is not remembered, and its replies are evaluated as a connection in the other direction.

import { unreachable } from "../lib/invariant.ts";
import type { Connection, World } from "./connection.ts";
import type { Direction, Policy, Rule } from "./ir.ts";
import { isSelected, matches, subjectOf } from "./matching.ts";
import type { EqualPolicies } from "./order.ts";
import { isAskedBefore } from "./order.ts";
import type { TierInOrder } from "./tiers-in-order.ts";
import { tiersInOrder } from "./tiers-in-order.ts";

export type { Connection, End, World } from "./connection.ts";

/** A policy that decides or passes; no rule: none of its rules matched, and it isolates its subject. */
export interface Step {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule | null;
}

export interface Decision {
  readonly verdict: "allow" | "deny";
  /** The step that decided on this side; null: none did, and the connection is allowed. */
  readonly by: Step | null;
  /** The passes in order, then the step that decided: at most one step for each tier. */
  readonly steps: readonly Step[];
}

export interface Judgement {
  readonly verdict: "allow" | "deny";
  readonly egress: Decision;
  readonly ingress: Decision;
}

export function judge(connection: Connection, world: World, policies: readonly Policy[]): Judgement {
  const egress = decide("egress", connection, world, policies);
  const ingress = decide("ingress", connection, world, policies);
  const verdict = egress.verdict === "allow" && ingress.verdict === "allow" ? "allow" : "deny";
  return { verdict, egress, ingress };
}

function decide(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Decision {
  const steps: Step[] = [];
  for (const tier of tiersInOrder(policies)) {
    const step = decideTier(direction, connection, world, tier);
    if (step === null) continue;
    steps.push(step);
    const verdict = verdictOf(step);
    if (verdict !== null) return { verdict, by: step, steps };
  }
  return { verdict: "allow", by: null, steps };
}

/** Null: the step passes to the next tier. */
export function verdictOf({ rule }: Step): Decision["verdict"] | null {
  if (rule === null) return "deny";
  switch (rule.action) {
    case "allow":
      return "allow";
    case "deny":
    case "reject":
      return "deny";
    case "pass":
      return null;
    default:
      return unreachable(rule.action);
  }
}

/** The first rule of the tier that matches; null: the tier does not decide. */
function decideTier(
  direction: Direction,
  connection: Connection,
  world: World,
  { turns }: TierInOrder,
): Step | null {
  for (const turn of turns) {
    const step = firstStep(turn, direction, connection, world);
    if (step !== null) return step;
  }
  return isolation(direction, connection, world, turns.flat());
}

/** The step of policies that are asked together; null: none of their rules matches. */
export function firstStep(
  turn: EqualPolicies,
  direction: Direction,
  connection: Connection,
  world: World,
): (Step & { readonly rule: Rule }) | null {
  let first: (Step & { readonly rule: Rule }) | null = null;
  for (const policy of turn) {
    const rule = firstMatch(policy, direction, connection, world);
    if (rule !== null && (first === null || isAskedBefore([policy, rule], [first.policy, first.rule])))
      first = { policy, direction, rule };
  }
  return first;
}

/** The step that denies what no rule of a tier matches; null: none of its policies isolates the side's pod. */
export function isolation(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Step | null {
  const subject = subjectOf(connection, direction);
  const isolating = policies.find(
    (policy) => policy.unmatched[direction] === "deny" && isSelected(subject, policy.subject, world),
  );
  return isolating === undefined ? null : { policy: isolating, direction, rule: null };
}

/** The step of this policy alone; null: it does not decide on this side. */
export function firstMatch(
  policy: Policy,
  direction: Direction,
  connection: Connection,
  world: World,
): Rule | null {
  const subject = subjectOf(connection, direction);
  const rule = policy.rules[direction].find(
    (candidate) =>
      isSelected(subject, candidate.subject ?? policy.subject, world) &&
      matches(candidate, direction, connection, world),
  );
  return rule ?? null;
}
