// The verdicts that the order of policies leaves open: policies of one tier and equal priority that match the same side
// of a connection. The APIs do not define which of them decides, so this file names them and every possible verdict.
// Interleaved policies, and those whose tie texts decide their order, are asked together and never tie.
// Invariant: judge() returns one of the possible verdicts, and without a tie there is only one.

import type { Connection, Step, World } from "./evaluate.ts";
import { firstStep, isolation, verdictOf } from "./evaluate.ts";
import type { Direction, Policy, Tier } from "./ir.ts";
import type { TierInOrder } from "./tiers-in-order.ts";
import { tiersInOrder } from "./tiers-in-order.ts";

export type Verdict = "allow" | "deny";

/** Policies of one tier and equal priority, each with the rule by which it would decide if it were the only one. */
export interface Tie {
  readonly direction: Direction;
  readonly tier: Tier;
  readonly priority: number;
  /** Two or more, one for each policy, in the order of the policies given. */
  readonly steps: readonly Step[];
  /** Whether their actions differ; if not, only the deciding rule is open. */
  readonly disagree: boolean;
}

export interface Outcomes {
  /** Every tie that the connection can reach; a tie behind a step that may pass counts. */
  readonly ties: readonly Tie[];
  /** One verdict or both. */
  readonly verdicts: ReadonlySet<Verdict>;
}

/** On both sides. The destination's side counts only where the source's side may allow the connection. */
export function outcomes(connection: Connection, world: World, policies: readonly Policy[]): Outcomes {
  const egress = outcomesOn("egress", connection, world, policies);
  if (!egress.verdicts.has("allow")) return egress;
  const ingress = outcomesOn("ingress", connection, world, policies);
  const verdicts = egress.verdicts.has("deny") ? ingress.verdicts.union(denied) : ingress.verdicts;
  return { ties: [...egress.ties, ...ingress.ties], verdicts };
}

/** On one side: the egress side of the source, or the ingress side of the destination. */
export function outcomesOn(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Outcomes {
  const ties: Tie[] = [];
  const verdicts = new Set<Verdict>();
  for (const tier of tiersInOrder(policies)) {
    const steps = speakersIn(tier, direction, connection, world);
    const tie = tieOf(steps);
    if (tie !== null) ties.push(tie);
    const said = steps.map(verdictOf);
    for (const verdict of said) if (verdict !== null) verdicts.add(verdict);
    // A tier where a step passes, or none decides, leaves the decision to the following tiers.
    if (steps.length > 0 && !said.includes(null)) return { ties, verdicts };
  }
  verdicts.add("allow");
  return { ties, verdicts };
}

const denied: ReadonlySet<Verdict> = new Set<Verdict>(["deny"]);

/** The steps that the tier may take: those of the first priority at which a rule matches. */
function speakersIn(
  { levels, policies }: TierInOrder,
  direction: Direction,
  connection: Connection,
  world: World,
): readonly Step[] {
  for (const turns of levels) {
    const steps = turns
      .map((turn) => firstStep(turn, direction, connection, world))
      .filter((step) => step !== null);
    if (steps.length > 0) return steps;
  }
  // Isolation is one denial, whichever policy it is read from.
  const isolating = isolation(direction, connection, world, policies);
  return isolating === null ? [] : [isolating];
}

function tieOf(steps: readonly Step[]): Tie | null {
  const [first, ...others] = steps;
  if (first === undefined || others.length === 0) return null;
  const { policy, direction, rule } = first;
  const disagree = others.some((other) => other.rule?.action !== rule?.action);
  return { direction, tier: policy.tier, priority: policy.priority, steps, disagree };
}
