// The verdicts that are possible on one side where it is unknown whether some rules match: those of every choice of
// which of them do. Without such rules it gives the verdicts of policy/ties.ts. Invariant: a verdict is among them exactly
// when some choice has it.

import type { Connection, Step, World } from "../policy/evaluate.ts";
import { isolation, verdictOf } from "../policy/evaluate.ts";
import type { Action, Direction, Policy, Rule } from "../policy/ir.ts";
import type { EqualPolicies } from "../policy/order.ts";
import { rulesOfEquals } from "../policy/order.ts";
import type { TierInOrder } from "../policy/tiers-in-order.ts";
import { tiersInOrder } from "../policy/tiers-in-order.ts";
import type { Verdict } from "../policy/ties.ts";
import { matches, matchesButPeers } from "../analysis/parts.ts";

/** A rule of which it is unknown whether it matches what it applies to. */
export interface OpenRule {
  /** What it may do if it does. */
  readonly actions: readonly Action[];
  /** Whether only its peers may be matched; otherwise any end. */
  readonly byPeers: boolean;
}

/** Null: of a rule that matches or does not. */
export type OpenRuleOf = (rule: Rule) => OpenRule | null;

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
  openRuleOf: OpenRuleOf,
): Possible {
  const verdicts = new Set<Verdict>();
  const met = new Set<Rule>();
  for (const tier of tiersInOrder(policies)) {
    const { steps, goesOn } = stepsIn(tier, { direction, connection, world, openRuleOf });
    for (const { unknown } of steps) if (unknown !== null) met.add(unknown);
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
  readonly openRuleOf: OpenRuleOf;
}

/** A step, and the doubtful rule by which it may be taken; null: by none. */
type PossibleStep = Step & { readonly unknown: Rule | null };

/** Every step that the tier may take, and whether it may take none. */
function stepsIn(
  { levels, policies }: TierInOrder,
  way: Way,
): { readonly steps: readonly PossibleStep[]; readonly goesOn: boolean } {
  const { direction } = way;
  const steps: PossibleStep[] = [];
  for (const level of levels) {
    let isSure = false;
    for (const equals of level) {
      const first = firstIn(equals, way);
      steps.push(...first.steps);
      isSure ||= first.isSure;
    }
    if (isSure) return { steps, goesOn: false };
  }
  const isolating = isolation(direction, way.connection, way.world, policies);
  return isolating === null
    ? { steps, goesOn: true }
    : { steps: [...steps, { ...isolating, unknown: null }], goesOn: false };
}

/** The rules that may be the first match of policies that are asked together; sure: one of them is. */
function firstIn(
  turn: EqualPolicies,
  { direction, connection, world, openRuleOf }: Way,
): { readonly steps: readonly PossibleStep[]; readonly isSure: boolean } {
  const steps: PossibleStep[] = [];
  for (const { policy, rule } of rulesOfEquals(turn, direction)) {
    const met = { policy, direction, rule, connection, world };
    const open = openRuleOf(rule);
    if (open !== null) {
      const isMet = open.byPeers ? matches(met) : matchesButPeers(met);
      const taken = (isMet ? open.actions : []).map((action) => ({ ...rule, action }));
      steps.push(...taken.map((one) => ({ policy, direction, rule: one, unknown: rule })));
    } else if (matches(met)) {
      return { steps: [...steps, { policy, direction, rule, unknown: null }], isSure: true };
    }
  }
  return { steps, isSure: false };
}
