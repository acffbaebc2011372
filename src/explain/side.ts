// One side of a connection: its verdict and what decides, what lost and what nearly matched. The judge decides
// (policy/evaluate.ts), policy/ties.ts says what equal priorities leave open, and open.ts which verdicts are possible.

import type { Connection, Decision, Step } from "../policy/evaluate.ts";
import { isolation, verdictOf } from "../policy/evaluate.ts";
import type { Direction, Policy } from "../policy/ir.ts";
import { compareTiers, isSameTier } from "../policy/order.ts";
import type { Tie, Verdict } from "../policy/ties.ts";
import { outcomesOn } from "../policy/ties.ts";
import { refOf } from "../analysis/ref.ts";
import type { AnsweredVerdict, Caveat, Side } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { tierRefOf } from "./tiers.ts";
import { lostOn } from "./lost-rules.ts";
import { nearMissesOn } from "./near-misses.ts";

export interface Sides {
  /** Of both sides together: what is open on both may be closed where they depend on the same. */
  readonly verdict: AnsweredVerdict;
  readonly egress: Side | null;
  readonly ingress: Side | null;
  readonly caveats: readonly Caveat[];
}

export interface AskedSide {
  readonly direction: Direction;
  readonly connection: Connection;
  /** The judge's. */
  readonly decision: Decision;
  /** Every one that is possible. */
  readonly verdicts: ReadonlySet<Verdict>;
  /** Whether policies have no say of it. */
  readonly isExempt: boolean;
  /** Whether to show what lost and what nearly matched. */
  readonly isDetailed: boolean;
}

export interface AnsweredSide {
  readonly side: Side;
  /** Ties that leave the verdict or the deciding rule open. */
  readonly ties: readonly Tie[];
}

export function answeredSide(asked: AskedWorld, one: AskedSide): AnsweredSide {
  const { direction, connection, decision, verdicts, isExempt, isDetailed } = one;
  if (isExempt) return { side: { verdict: onlyOf(verdicts), by: "exempt", steps: [] }, ties: [] };
  const policies = asked.policiesOf(connection);
  const ties = outcomesOn(direction, connection, asked.facts, policies).ties.filter(
    ({ disagree }) => disagree,
  );
  const [tie] = ties;
  // Behind a tie nothing is sure.
  const steps =
    tie === undefined
      ? decision.steps
      : decision.steps.filter(({ policy }) => compareTiers(policy.tier, tie.tier) < 0);
  const taken = [...steps, ...(tie?.steps ?? [])];
  const side: Side = {
    verdict: onlyOf(verdicts),
    ...(tie === undefined ? decidedBy(asked, one) : tiedBy(asked, tie)),
    steps: steps
      .filter((step) => verdictOf(step) === null)
      .map((step) => asked.stepOf(step.policy, direction, step.rule)),
    ...(isDetailed
      ? {
          lost: lostOn(direction, connection, asked, taken, tie?.tier ?? null),
          near: nearMissesOn(direction, connection, asked, taken),
        }
      : {}),
  };
  return { side, ties };
}

/** Unknown where both are possible. */
export function onlyOf(verdicts: ReadonlySet<Verdict>): AnsweredVerdict {
  const [verdict, ...others] = verdicts;
  return verdict === undefined || others.length > 0 ? "unknown" : verdict;
}

type By = Pick<Side, "by"> & Partial<Side>;

function decidedBy(asked: AskedWorld, { direction, connection, decision: { by } }: AskedSide): By {
  if (by === null) return { by: "default" };
  const { policy, rule } = by;
  const decided = {
    ...tierRefOf(policy),
    policy: refOf(policy),
    priority: asked.priorityOf(policy),
  };
  if (rule !== null) return { by: "rule", ...decided, rule: asked.ruleRefOf(policy, direction, rule) };
  const policies = asked
    .policiesOf(connection)
    .filter((one) => isIsolating(one, by, connection, asked))
    .map(refOf);
  return { by: "isolation", ...decided, policies };
}

/** Whether the policy alone would deny as this step does. */
function isIsolating(policy: Policy, step: Step, connection: Connection, { facts }: AskedWorld): boolean {
  return (
    isSameTier(policy.tier, step.policy.tier) &&
    isolation(step.direction, connection, facts, [policy]) !== null
  );
}

function tiedBy(asked: AskedWorld, { tier, steps, direction }: Tie): By {
  return {
    by: "tie",
    ...tierRefOf({ tier }),
    tied: steps.map(({ policy, rule }) => asked.stepOf(policy, direction, rule)),
  };
}
