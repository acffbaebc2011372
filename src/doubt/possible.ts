// The verdicts that are possible on one side where it is unknown whether some rules match: those of every choice of
// which of them do. Without such rules it gives the verdicts of policy/ties.ts. Invariant: a verdict is among them exactly
// when some choice has it.

import type { Connection, Step, World } from "../policy/evaluate.ts";
import { isolation, verdictOf } from "../policy/evaluate.ts";
import type { Action, Direction, Policy, Rule } from "../policy/ir.ts";
import type { Turn } from "../policy/order.ts";
import { byPriority, byTier, rulesOfTurn, turnsOf } from "../policy/order.ts";
import type { Verdict } from "../policy/ties.ts";
import { matches, matchesButPeers } from "../analysis/parts.ts";

/** For a rule of which it is unknown whether it matches what it applies to: what it may do if it does. Null: for any other. */
export type DoubtfulActions = (rule: Rule) => readonly Action[] | null;

export interface Possible {
  readonly verdicts: ReadonlySet<Verdict>;
  /** The unknown rules that the walk may reach. */
  readonly met: ReadonlySet<Rule>;
}

export function possibleOn(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
  doubtfulActions: DoubtfulActions,
): Possible {
  const verdicts = new Set<Verdict>();
  const met = new Set<Rule>();
  for (const [, tier] of byTier(policies)) {
    const { steps, goesOn } = stepsIn(tier, { direction, connection, world, doubtfulActions });
    for (const { doubt } of steps) if (doubt !== null) met.add(doubt);
    const said = steps.map(verdictOf);
    for (const verdict of said) if (verdict !== null) verdicts.add(verdict);
    if (!goesOn && !said.includes(null)) return { verdicts, met };
  }
  verdicts.add("allow");
  return { verdicts, met };
}

interface Way {
  readonly direction: Direction;
  readonly connection: Connection;
  readonly world: World;
  readonly doubtfulActions: DoubtfulActions;
}

/** A step, and the doubtful rule by which it may be taken; null: by none. */
type PossibleStep = Step & { readonly doubt: Rule | null };

/** Every step that the tier may take, and whether it may take none. */
function stepsIn(
  tier: readonly Policy[],
  way: Way,
): { readonly steps: readonly PossibleStep[]; readonly goesOn: boolean } {
  const { direction } = way;
  const steps: PossibleStep[] = [];
  for (const equals of byPriority(tier)) {
    let isSure = false;
    for (const turn of turnsOf(equals)) {
      const first = firstIn(turn, way);
      steps.push(...first.steps);
      isSure ||= first.isSure;
    }
    if (isSure) return { steps, goesOn: false };
  }
  const isolating = isolation(direction, way.connection, way.world, tier);
  return isolating === null
    ? { steps, goesOn: true }
    : { steps: [...steps, { ...isolating, doubt: null }], goesOn: false };
}

/** The rules that may be the first match of policies that are asked together; sure: one of them is. */
function firstIn(
  turn: Turn,
  { direction, connection, world, doubtfulActions }: Way,
): { readonly steps: readonly PossibleStep[]; readonly isSure: boolean } {
  const steps: PossibleStep[] = [];
  for (const { policy, rule } of rulesOfTurn(turn, direction)) {
    const met = { policy, direction, rule, connection, world };
    const actions = doubtfulActions(rule);
    if (actions !== null) {
      const taken = (matchesButPeers(met) ? actions : []).map((action) => ({ ...rule, action }));
      steps.push(...taken.map((one) => ({ policy, direction, rule: one, doubt: rule })));
    } else if (matches(met)) {
      return { steps: [...steps, { policy, direction, rule, doubt: null }], isSure: true };
    }
  }
  return { steps, isSure: false };
}
