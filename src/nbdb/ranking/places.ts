// What the ranking asks of the places of one segment, in whichever way it gives them; and what a place is. Every segment's
// places keep this: rules of the policy that is first have the higher ACL priorities, and policies that moved are named.

import { invariant } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Action, Direction, Policy, PolicyKey, Rule, Tier } from "../../policy/ir.ts";
import { compareRanks, rankOf } from "../../policy/order.ts";
import { factsOf } from "../../policy/rule-list.ts";
import type { EqualsLevels } from "./turns.ts";

/** ACL.tier and ACL.priority. */
export interface AclPlace {
  readonly tier: number;
  readonly priority: number;
}

/** Consecutive ACL priorities of one ACL.tier. */
export interface Span {
  readonly tier: number;
  /** The highest. */
  readonly first: number;
  readonly last: number;
}

/** Where a policy's rules begin, and where its tier ends. */
export interface Run {
  /** ACL.tier. */
  readonly tier: number;
  /** ACL priority of its first level. */
  readonly start: number;
  /** ACL priority of its default denies. */
  readonly end: number;
  readonly levels: Levels;
}

/** All rules at the first level; each one below the rule before it; or as policies that take turns have them. */
export type Levels = "one" | "each" | EqualsLevels;

/** The place of an ACL of a policy in the database. */
export interface ExistingAcl {
  /** Of its rule; or of the default denies. */
  readonly index: number | "default";
  readonly action: Action;
  readonly place: AclPlace;
}

export type ExistingPlaces = ReadonlyMap<PolicyKey, readonly ExistingAcl[]>;

/** Where the tiers are whose policies have places in a segment. */
export interface TierPlaces {
  /** ACL.tier. */
  aclTierOf(tier: Tier): number;
  /** The ACL priority of the tier's default denies; null: behind its last policy. */
  endOf(tier: Tier): number | null;
}

/**
 * The places of all policies: which ACL tier and priority each has, and which others move when one is added or removed. A policy that
 * has no place is refused; those that have one keep it.
 */
export interface PolicyPlaces {
  /** Why the policy cannot have a place beside the present ones. Changes nothing. */
  admit(policy: Policy): readonly Refusal[];
  /** Places an admitted policy; returns the other policies whose place changed, or the form of whose rows did. */
  upsert(policy: Policy): readonly PolicyKey[];
  /** As `upsert`, for a policy that goes. */
  remove(key: PolicyKey): readonly PolicyKey[];
  /** Takes over the places of existing rows, as far as the order allows; returns the policies whose place changed. */
  adopt(existing: ExistingPlaces): readonly PolicyKey[];
  /** As Backend.takeContested. */
  takeContested(): readonly PolicyKey[];
  /** Whether other policies can move this one. */
  dependsOnOthers(key: PolicyKey): boolean;
  /** The place of a rule, in either direction. Throws for a policy that has none. */
  place(key: PolicyKey, rule: Pick<Rule, "index" | "action">): AclPlace;
  /** The places of so many rules of the policy; null: they share one, since no order matters among them and others. */
  span(key: PolicyKey, rules: number): Span | null;
  /** The place of a policy's default denies: behind every rule of its tier. */
  end(key: PolicyKey): AclPlace;
  /**
   * Whether everything that comes to the end of the policy's tier in this direction passes by a rule without conditions: neither that
   * rule, the only one there that passes, nor default denies have rows, since what meets no row of the tier goes on all the same.
   */
  isOpenEnd(key: PolicyKey, direction: Direction): boolean;
}

/** The places of one segment's policies. */
export interface SegmentPlaces {
  /** Whether other policies can move one. */
  readonly dependOnOthers: boolean;
  /** Why the policy cannot have a place beside the present ones. Changes nothing. */
  admit(policy: Policy): readonly Refusal[];
  /** Places an admitted policy, new or changed; returns the policies whose place changed, perhaps itself too. */
  upsert(policy: Policy): readonly PolicyKey[];
  /** Takes a policy out that is in it; returns the others whose place changed. */
  remove(key: PolicyKey): readonly PolicyKey[];
  /** Takes over the existing places, as far as the order allows; returns the policies whose place changed. */
  adopt(existing: ExistingPlaces): readonly PolicyKey[];
  /** The place of a policy that is in it. */
  run(key: PolicyKey): Run;
}

/** The place of a rule of the run's policy. */
export function placeIn({ tier, start, levels }: Run, rule: Pick<Rule, "index" | "action">): AclPlace {
  return { tier, priority: start - levelOf(rule, levels) };
}

/** As PolicyPlaces.span. */
export function spanOf({ tier, start, levels }: Run, rules: number): Span | null {
  if (levels === "one") return null;
  return { tier, first: start, last: start - (levels === "each" ? rules : levels.length) + 1 };
}

export function byOrder(a: Policy, b: Policy): number {
  return compareRanks(rankOf(a), rankOf(b));
}

/** The number of rules of the longer direction, at least one. */
export function levelsOf({ rules }: Policy): number {
  const last = Math.max(factsOf(rules.ingress).last, factsOf(rules.egress).last);
  invariant(Number.isInteger(last), "a rule's index is no integer");
  return last + 1;
}

export function isSameRun(a: Run, b: Run): boolean {
  return a.tier === b.tier && a.start === b.start && a.end === b.end && a.levels === b.levels;
}

/** How many levels below the first the rule is. */
export function levelOf(rule: Pick<Rule, "index" | "action">, levels: Levels): number {
  if (levels === "one") return 0;
  return levels === "each" ? rule.index : levels.offset(rule);
}

export function refusal(
  code: Refusal["code"],
  part: "policy" | "tier" | "priority",
  message: string,
): Refusal {
  return { code, part: { kind: part }, message };
}
