// One list of rules that a pair of ends meets, walked as the judge walks it: which traffic each rule decides or passes, and
// which no rule does. Where policies of equal priority meet, each may be the one that speaks, as policy/ties.ts has it. So
// a rule has no share of the traffic exactly when it decides nothing whatever order the equal ones take.

import type { Policy, Rule } from "../../policy/ir.ts";
import { byTier, isOneTurn, isSameTier } from "../../policy/order.ts";
import type { OrderedRule } from "./order.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";
import type { Work } from "./work.ts";

/** A rule that the pair meets with the traffic that it matches. */
export interface MatchedEntry {
  readonly entry: OrderedRule;
  readonly traffic: Traffic;
}

export interface Contribution {
  readonly policy: Policy;
  /** null: the policy isolates, and no rule of its tier matches. */
  readonly entry: OrderedRule | null;
  /** What the rule matches and no earlier rule of its policy does. */
  readonly first: Traffic;
  /** Of it, what the rule may decide or pass. */
  readonly said: Traffic;
}

export interface Row {
  readonly met: readonly MatchedEntry[];
  /** In order of evaluation. */
  readonly says: readonly Contribution[];
  /** What may reach the end of every tier: allowed. */
  readonly silent: Traffic;
}

export type Effect = "allow" | "deny" | "pass";

export function effectOf({ entry }: Pick<Contribution, "entry">): Effect {
  return entry === null ? "deny" : effectOfRule(entry.rule);
}

export function effectOfRule({ action }: Pick<Rule, "action">): Effect {
  return action === "reject" ? "deny" : action;
}

/** `met` and `isolating` in order of evaluation. */
export function walk(
  met: readonly MatchedEntry[],
  isolating: readonly Policy[],
  all: Traffic,
  work: Work,
): Row {
  const says: Contribution[] = [];
  let open = all;
  for (const [tier] of byTier([...met.map(({ entry }) => entry.policy), ...isolating])) {
    const rules = met.filter(({ entry }) => isSameTier(entry.policy.tier, tier));
    const { passed, left } = walkTier(rules, open, says, work);
    const isolation = isolating.find((policy) => isSameTier(policy.tier, tier));
    if (isolation === undefined) {
      open = passed | left;
      continue;
    }
    says.push({ policy: isolation, entry: null, first: left, said: left });
    open = passed;
  }
  return { met, says, silent: open };
}

interface AfterTier {
  readonly passed: Traffic;
  /** What no rule of the tier matches. */
  readonly left: Traffic;
}

function walkTier(
  rules: readonly MatchedEntry[],
  open: Traffic,
  says: Contribution[],
  work: Work,
): AfterTier {
  let [passed, left] = [noTraffic, open];
  for (const equals of runs(rules, (a, b) => a.entry.policy.priority === b.entry.policy.priority)) {
    const turns = runs(equals, ({ entry: a }, { entry: b }) => areAskedTogether(a.policy, b.policy));
    const spoken = turns.flatMap((list) => walkTurn(list, left));
    work.steps += spoken.length;
    says.push(...spoken);
    for (const { entry, said } of spoken) if (entry?.rule.action === "pass") passed |= said;
    left &= ~spoken.reduce((bits, { said }) => bits | said, noTraffic);
  }
  return { passed, left };
}

/** `left`: what reaches the policy, or the policies that take turns. */
function walkTurn(rules: readonly MatchedEntry[], left: Traffic): readonly Contribution[] {
  const taken = new Map<Policy, Traffic>();
  let open = left;
  return rules.map(({ entry, traffic }) => {
    const { policy } = entry;
    const own = taken.get(policy) ?? noTraffic;
    taken.set(policy, own | traffic);
    const said = traffic & open;
    open &= ~traffic;
    return { policy, entry, first: traffic & ~own, said };
  });
}

function areAskedTogether(one: Policy, other: Policy): boolean {
  return one === other || isOneTurn(one, other);
}

/** Neighbours that belong together. */
function runs<T>(list: readonly T[], together: (a: T, b: T) => boolean): readonly (readonly T[])[] {
  const found: T[][] = [];
  for (const one of list) {
    const run = found.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && together(before, one)) run.push(one);
    else found.push([one]);
  }
  return found;
}
