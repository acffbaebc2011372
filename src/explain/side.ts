// One side of a connection: its verdict and who decides, what lost and what nearly matched. The judge decides
// (policy/evaluate.ts), policy/ties.ts says what equal priorities leave open. Invariant: without doubts the verdict is the
// judge's, or unknown exactly where policy/ties.ts has both.

import type { Connection, Decision, Step } from "../policy/evaluate.ts";
import { isolation, verdictOf } from "../policy/evaluate.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import type { Tie, Verdict } from "../policy/ties.ts";
import { outcomesOn } from "../policy/ties.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import { refOf } from "../analysis/ref.ts";
import type { AnsweredVerdict, Side } from "./answer.ts";
import type { AskedWorld } from "./asked.ts";
import { tierRefOf } from "./asked.ts";
import type { Doubt } from "./doubts.ts";
import { lostOn } from "./lost.ts";
import { nearOn } from "./near.ts";
import { possibleOn } from "./possible.ts";

export interface AskedSide {
  readonly direction: Direction;
  readonly connection: Connection;
  /** The judge's. */
  readonly decision: Decision;
  /** Whether to tell what lost and what nearly matched. */
  readonly isDetailed: boolean;
}

export interface ToldSide {
  readonly side: Side;
  /** Ties that leave the verdict or who decides open. */
  readonly ties: readonly Tie[];
  readonly doubts: ReadonlySet<Doubt>;
}

const exempt: ToldSide = {
  side: { verdict: "allow", by: "exempt", steps: [] },
  ties: [],
  doubts: new Set(),
};

/** `isSelf`: the pod connects to itself. */
export function toldSide(asked: AskedWorld, one: AskedSide, isSelf: boolean): ToldSide {
  const { direction, connection, decision, isDetailed } = one;
  const { pod } = direction === "egress" ? connection.from : connection.to;
  if (pod === null || !isOnPodNetwork(pod) || isSelf) return exempt;
  const known = outcomesOn(direction, connection, asked.facts, asked.policies);
  const ties = known.ties.filter(({ disagree }) => disagree);
  const { verdicts, doubts } = withDoubts(asked, one, known.verdicts);
  const [tie] = ties;
  // Behind a tie nothing is sure.
  const steps =
    tie === undefined
      ? decision.steps
      : decision.steps.filter(({ policy }) => policy.tier.order < tie.tier.order);
  const taken = [...steps, ...(tie?.steps ?? [])];
  const side: Side = {
    verdict: onlyOf(verdicts),
    ...(tie === undefined ? decidedBy(asked, one) : tiedBy(asked, tie)),
    steps: steps
      .filter((step) => verdictOf(step) === null)
      .map((step) => asked.stepOf(step.policy, direction, step.rule)),
    ...(isDetailed
      ? {
          lost: lostOn(direction, connection, asked, taken, tie?.tier.order ?? Infinity),
          near: nearOn(direction, connection, asked, taken),
        }
      : {}),
  };
  return { side, ties, doubts };
}

function withDoubts(
  { facts, policies, doubts: { rules, unread } }: AskedWorld,
  { direction, connection }: AskedSide,
  known: ReadonlySet<Verdict>,
): { readonly verdicts: ReadonlySet<Verdict>; readonly doubts: ReadonlySet<Doubt> } {
  if (rules.size === 0) return { verdicts: known, doubts: new Set() };
  const isDoubtful = (rule: Rule): boolean => rules.has(rule);
  const { verdicts, met } = possibleOn(direction, connection, facts, [...policies, ...unread], isDoubtful);
  return { verdicts, doubts: new Set([...met].flatMap((rule) => rules.get(rule) ?? [])) };
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
    ...tierRefOf(policy.tier),
    policy: refOf(policy),
    priority: asked.priorityOf(policy),
  };
  if (rule !== null) return { by: "rule", ...decided, rule: asked.ruleRefOf(policy, direction, rule) };
  const policies = asked.policies.filter((one) => isIsolating(one, by, connection, asked)).map(refOf);
  return { by: "isolation", ...decided, policies };
}

/** Whether the policy alone would deny as this step does. */
function isIsolating(policy: Policy, step: Step, connection: Connection, { facts }: AskedWorld): boolean {
  return (
    policy.tier.order === step.policy.tier.order &&
    isolation(step.direction, connection, facts, [policy]) !== null
  );
}

function tiedBy(asked: AskedWorld, { tier, steps, direction }: Tie): By {
  return {
    by: "tie",
    ...tierRefOf(tier),
    tied: steps.map(({ policy, rule }) => asked.stepOf(policy, direction, rule)),
  };
}
