// Where the policies of two worlds stand among each other: which take turns, which tier is which, and whether who matches a rule
// needs to ask later ones of its tier.

import type { Action, Direction, Policy, Tier } from "../policy/ir.ts";
import { byTier, placeKey, tierKey } from "../policy/order.ts";
import type { Both, OpenRules, PolicyWorld } from "./worlds.ts";
import { worldsIn } from "./worlds.ts";

export interface Placing {
  readonly turnOf: TurnOf;
  readonly tierAt: (tier: Tier) => number;
  readonly settled: (policy: Policy) => boolean;
}

export function placingIn(worlds: Both<PolicyWorld>, direction: Direction, open: OpenRules): Placing {
  const turnOf = turnsOf(worlds);
  const settled = settledPlaces(worlds, direction, turnOf, open);
  return { turnOf, tierAt: numberedTiers(worlds), settled };
}

export function openRules(worlds: Both<PolicyWorld>): OpenRules {
  return new Map(worldsIn(worlds).flatMap(({ open }) => [...(open ?? [])]));
}

type TurnOf = (policy: Policy) => string;

/** The turn of several policies is named after the first of them, with what no key ends in. */
function turnsOf(worlds: Both<PolicyWorld>): TurnOf {
  const several = ({ interleaved, tie }: Policy) =>
    interleaved === true ? "\0in turns" : tie === undefined ? null : "\0by ties";
  const first = new Map<string, string>();
  for (const policy of worldsIn(worlds).flatMap(({ policies }) => policies)) {
    const how = several(policy);
    if (how === null) continue;
    const place = placeKey(policy) + how;
    const known = first.get(place);
    if (known === undefined || policy.key < known) first.set(place, policy.key);
  }
  return (policy) => {
    const how = several(policy);
    return how === null ? policy.key : `${first.get(placeKey(policy) + how) ?? ""}${how}`;
  };
}

/** The number of a tier among those of both worlds. */
function numberedTiers(worlds: Both<PolicyWorld>): (tier: Tier) => number {
  const all = byTier(worldsIn(worlds).flatMap(({ policies }) => policies));
  const numbers = new Map(all.map(([tier], number) => [tierKey(tier), number]));
  return (tier) => numbers.get(tierKey(tier)) ?? -1;
}

/** Of places that one policy or turn has in each world, or whose policies do but one thing in both. */
function settledPlaces(
  worlds: Both<PolicyWorld>,
  direction: Direction,
  turnOf: TurnOf,
  rules: OpenRules,
): (policy: Policy) => boolean {
  const open = new Set<string>();
  const actions = new Map<string, Set<Action>>();
  for (const { policies } of worldsIn(worlds)) {
    const turns = new Map<string, string>();
    for (const policy of policies) {
      if (policy.rules[direction].length === 0) continue;
      const place = placeKey(policy);
      const turn = turnOf(policy);
      if ((turns.get(place) ?? turn) !== turn) open.add(place);
      turns.set(place, turn);
      const done = actions.get(place) ?? new Set();
      const all = policy.rules[direction].flatMap((rule) => rules.get(rule)?.actions ?? [rule.action]);
      for (const action of all) done.add(action);
      actions.set(place, done);
    }
  }
  return (policy) => !open.has(placeKey(policy)) || (actions.get(placeKey(policy))?.size ?? 0) < 2;
}
