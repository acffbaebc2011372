// What the ranking asks of the places of one segment, in whichever way it gives them; and what a place is. Every segment's
// places keep this: rules of the policy that is first have the higher ACL priorities, and policies that moved are named.

import { invariant } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Action, Policy, PolicyKey, Rule } from "../../policy/ir.ts";
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
