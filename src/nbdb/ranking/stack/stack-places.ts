// The places of all policies where their tiers are one stack (policy/contracts/tier-layout.ts): all tiers that have policies, by
// order and name, in descending ACL priorities; a tier of OVN begins only behind a tier that passes (assignment.ts). Within one of
// OVN's, places have room between (ranked.ts). A tier that gets another tier of OVN takes all its policies along. A tier that has another
// program's rows among its policies has two places, and its end in the last tier of OVN.

import { invariant } from "../../../lib/invariant.ts";
import type { Refusal, RulePart } from "../../../policy/contracts/backend.ts";
import type { Action, Direction, Policy, PolicyKey, Rule } from "../../../policy/ir.ts";
import { directions } from "../../../policy/ir.ts";
import { isFirstOwnNode } from "../../../policy/own-node.ts";
import type { StackLayout } from "../../../policy/contracts/tier-layout.ts";
import { stack } from "../../../policy/contracts/tier-layout.ts";
import type { AclPlace, ExistingPlaces, PolicyPlaces, Run, Span } from "../places.ts";
import { byOrder, placeIn, refusal, spanOf } from "../places.ts";
import { RankedPlaces } from "../ranked.ts";
import type { OvnTierLevels } from "./ovn-tiers.ts";
import { levelsIn, ovnTiersOf, ownNodesPriority } from "./ovn-tiers.ts";
import { StackTiers } from "./stack-tiers.ts";
import type { TierMembers } from "./tier-members.ts";
import { wantsToPass } from "./wishes.ts";

/** A policy of which nothing is enforced has no place, and is in no tier. */
export class StackPlaces implements PolicyPlaces {
  readonly #ovnTiers: readonly RankedPlaces[];
  readonly #ownNodes: Run;
  readonly #nodes = new Set<PolicyKey>();
  readonly #tiers: StackTiers;
  /** Where each policy has its place. */
  readonly #homes = new Map<PolicyKey, RankedPlaces>();
  /** Where the ends of tiers are whose policies are elsewhere. */
  readonly #last: RankedPlaces;
  /** ACL.tier of those. */
  readonly #lastTier: number;
  /** Where the policies of each tier have theirs. */
  readonly #placesOf = new WeakMap<TierMembers, RankedPlaces>();
  /** In which directions the end of each tier is open. */
  readonly #ends = new WeakMap<TierMembers, string>();
  /** Whether policies came, left or changed since contested ones were asked for. */
  #hasChanged = false;

  constructor(layout: StackLayout = stack) {
    const ovnTiers = ovnTiersOf(layout);
    const [{ tier }] = ovnTiers;
    this.#ovnTiers = ovnTiers.map(placesIn);
    const last = this.#ovnTiers.at(-1);
    invariant(last !== undefined, "the stack has no tiers of OVN");
    this.#last = last;
    this.#lastTier = ovnTiers.at(-1)?.tier ?? tier;
    this.#tiers = new StackTiers(ovnTiers.map(levelsIn), layout.around);
    this.#ownNodes = { tier, start: ownNodesPriority, end: ownNodesPriority, levels: "one" };
  }

  admit(policy: Policy): readonly Refusal[] {
    if (isFirstOwnNode(policy.key) || policy.isInert === true) return [];
    return this.#tiers.with(policy, (tier) => {
      const { fits } = this.#tiers.assignment();
      const none = refusal(
        "NoPlace",
        "priority",
        "OVN has no ACL priorities left for the rules of all tiers",
      );
      return fits ? this.#tooManyTiers(policy, tier) : [none];
    });
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const { key } = policy;
    if (isFirstOwnNode(key)) {
      this.#nodes.add(key);
      return [];
    }
    if (policy.isInert === true) return this.remove(key);
    const left = this.#tiers.of(key);
    const entered = this.#tiers.set(policy);
    this.#hasChanged = true;
    const others = new Set([...this.#settle(policy), ...this.#endedOtherwise(left, entered)]);
    others.delete(key);
    return [...others];
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    this.#nodes.delete(key);
    const left = this.#tiers.of(key);
    if (left === null) return [];
    const moved = this.#homes.get(key)?.remove(key) ?? [];
    this.#last.releaseEnd(key);
    this.#homes.delete(key);
    this.#tiers.delete(key);
    this.#hasChanged = true;
    return [...new Set([...moved, ...this.#settle(null), ...this.#endedOtherwise(left)])];
  }

  adopt(existing: ExistingPlaces): readonly PolicyKey[] {
    return this.#ovnTiers.flatMap((places) => places.adopt(existing));
  }

  takeContested(): readonly PolicyKey[] {
    if (!this.#hasChanged) return [];
    this.#hasChanged = false;
    const contested = new Set<PolicyKey>();
    for (const [tier, { isClosed }] of this.#tiers.assigned())
      for (const direction of directions) {
        const action = isClosed && !tier.isOpenEnd(direction) ? "deny" : "pass";
        for (const key of contestedIn(tier, direction, action)) contested.add(key);
      }
    return [...contested];
  }

  dependsOnOthers(key: PolicyKey): boolean {
    return this.#homes.has(key);
  }

  place(key: PolicyKey, rule: Pick<Rule, "index" | "action">): AclPlace {
    return placeIn(this.#run(key), rule);
  }

  span(key: PolicyKey, rules: number): Span | null {
    return spanOf(this.#run(key), rules);
  }

  end(key: PolicyKey): AclPlace {
    const members = this.#tiers.of(key);
    if (members !== null && members.atEnd !== members)
      return { tier: this.#lastTier, priority: this.#last.end(members.tier) };
    const { tier, end } = this.#run(key);
    return { tier, priority: end };
  }

  isOpenEnd(key: PolicyKey, direction: Direction): boolean {
    return this.#tiers.of(key)?.isOpenEnd(direction) ?? false;
  }

  #run(key: PolicyKey): Run {
    if (this.#nodes.has(key)) return this.#ownNodes;
    const home = this.#homes.get(key);
    invariant(home !== undefined, `asked for the place of a policy that has none: ${key}`);
    return home.run(key);
  }

  /** The rules that would skip a tier of those that are in one tier of OVN with the policy's own. */
  #tooManyTiers(policy: Policy, tier: TierMembers): readonly Refusal[] {
    if (this.#tiers.assigned().get(tier)?.isClosed !== true) return [];
    const message = `OVN has no tier left behind tier ${tier.tier.name}, to which the rule could pass`;
    return directions.flatMap((direction) =>
      tier.isOpenEnd(direction)
        ? []
        : passingRules(policy, direction).map((part): Refusal => ({ code: "TooManyTiers", part, message })),
    );
  }

  /**
   * Moves the policies of tiers that are in another tier of OVN than they were, and places the changed one; returns those whose place
   * is another. All that move leave before any comes: then there is room.
   */
  #settle(changed: Policy | null): Set<PolicyKey> {
    const moved = new Set<PolicyKey>();
    const coming: (readonly [Policy, RankedPlaces])[] = [];
    for (const [tier, { at }] of this.#tiers.assigned()) {
      const places = this.#ovnTiers[at];
      invariant(places !== undefined, "a tier is in a tier of OVN that there is not");
      const isMoved = this.#placesOf.get(tier) !== places;
      this.#placesOf.set(tier, places);
      for (const policy of isMoved ? tier.policies() : tier.those(changed)) {
        coming.push([policy, places]);
        const left = this.#leave(policy.key, places);
        if (tier.atEnd === tier) this.#last.releaseEnd(policy.key);
        for (const key of isMoved ? [...left, policy.key] : left) moved.add(key);
        this.#homes.set(policy.key, places);
      }
    }
    // The changed one first: it may be shorter than it was.
    const isChanged = (policy: Policy): number => Number(policy === changed);
    for (const [policy, places] of coming.sort(([a], [b]) => isChanged(b) - isChanged(a) || byOrder(a, b)))
      for (const key of [...places.upsert(policy), ...this.#holdEnd(policy)]) moved.add(key);
    return moved;
  }

  /** Of a policy that is not where its tier ends. */
  #holdEnd(policy: Policy): readonly PolicyKey[] {
    const members = this.#tiers.of(policy.key);
    return members === null || members.atEnd === members ? [] : this.#last.holdEnd(policy);
  }

  /** Takes the policy out of its place unless it stays among these; returns the others whose place changed. */
  #leave(key: PolicyKey, places: RankedPlaces): readonly PolicyKey[] {
    const home = this.#homes.get(key);
    return home === undefined || home === places ? [] : home.remove(key);
  }

  /** The policies of those of the tiers that end otherwise than before: a rule or default denies have rows, or have none any more. */
  #endedOtherwise(...tiers: readonly (TierMembers | null)[]): readonly PolicyKey[] {
    return [...new Set(tiers.map((tier) => tier?.atEnd ?? null))].flatMap((tier) => {
      if (tier === null) return [];
      const before = this.#ends.get(tier);
      const ends = directions.filter((direction) => tier.isOpenEnd(direction)).join();
      this.#ends.set(tier, ends);
      return before === undefined || before === ends ? [] : tier.keys();
    });
  }
}

function placesIn({ tier, top, bottom }: OvnTierLevels): RankedPlaces {
  return new RankedPlaces(
    { scheme: "ranked", name: `of OVN tier ${tier}`, top, bottom, expected: null, holds: () => true },
    { aclTierOf: () => tier, endOf: () => null },
  );
}

/** The policies that do not do what is to be done where they were to pass. */
function contestedIn(tier: TierMembers, direction: Direction, action: Action): readonly PolicyKey[] {
  const isContested = (rule: Rule): boolean => wantsToPass(rule) && rule.action !== action;
  const contested = tier.passing(direction).filter(({ rules }) => rules[direction].some(isContested));
  return Array.from(contested, ({ key }) => key);
}

function passingRules({ rules }: Policy, direction: Direction): readonly RulePart[] {
  const passing = rules[direction].filter(({ action }) => action === "pass").map(({ index }) => index);
  return Array.from(new Set(passing), (index) => ({ kind: "rule", direction, index, field: "action" }));
}
