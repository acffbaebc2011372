// The places of one ranked segment: policies in the order (tier, priority, key), each with as many consecutive levels
// as its rules need; behind the policies of a tier without a fixed end, the level of its default denies. Depends on the
// policies alone, so that a restart finds the same places.

import { invariant } from "../../lib/invariant.ts";
import type { Direction, Policy, PolicyKey } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { endOf, ovnTierOf } from "./layout.ts";
import type { Ranked } from "./segment.ts";

/** Where a policy's rules begin, and where its tier ends. */
export interface Run {
  /** ACL.tier. */
  readonly tier: number;
  /** ACL priority of rule 0. */
  readonly start: number;
  /** ACL priority of its default denies. */
  readonly end: number;
  /** All rules are at `start`; otherwise each is one below the rule before it. */
  readonly isShared: boolean;
}

/** null: the segment has too few levels. */
export function sequence(policies: Iterable<Policy>, segment: Ranked): ReadonlyMap<PolicyKey, Run> | null {
  const { offsets, ends, length } = laidOut([...policies].sort(byOrder), segment);
  if (length > segment.top - segment.bottom + 1) return null;
  const top = segment.align === "top" ? segment.top : segment.bottom + length - 1;
  return new Map(
    Array.from(offsets, ([policy, offset]) => {
      const end = endOf(policy.tier) ?? top - (ends.get(policy.tier.order) ?? 0);
      const isShared = segment.sharesAllows && onlyAllows(policy);
      return [policy.key, { tier: ovnTierOf(policy.tier).tier, start: top - offset, end, isShared }];
    }),
  );
}

/** Offsets from the first level, of policies and of the ends of tiers. */
function laidOut(sorted: readonly Policy[], { sharesAllows }: Ranked) {
  const offsets = new Map<Policy, number>();
  const ends = new Map<number, number>();
  let next = 0;
  for (const [at, policy] of sorted.entries()) {
    const before = sorted[at - 1];
    const isShared =
      sharesAllows && before?.tier.order === policy.tier.order && onlyAllows(before) && onlyAllows(policy);
    if (isShared) offsets.set(policy, next - 1);
    else {
      offsets.set(policy, next);
      next += sharesAllows && onlyAllows(policy) ? 1 : levelsOf(policy);
    }
    if (sorted[at + 1]?.tier.order !== policy.tier.order && endOf(policy.tier) === null)
      ends.set(policy.tier.order, next++);
  }
  return { offsets, ends, length: next };
}

/** Rules that only allow need no order among themselves. */
function onlyAllows({ rules }: Policy): boolean {
  return directions.every((direction) => rules[direction].every(({ action }) => action === "allow"));
}

/** The number of rules of the longer direction, at least one. */
export function levelsOf({ rules }: Policy): number {
  const lastOf = (direction: Direction) =>
    rules[direction].reduce((most, { index }) => Math.max(most, index), 0);
  const last = Math.max(...directions.map(lastOf));
  invariant(Number.isInteger(last), "a rule's index is no integer");
  return last + 1;
}

function byOrder(a: Policy, b: Policy): number {
  return a.tier.order - b.tier.order || a.priority - b.priority || (a.key < b.key ? -1 : 1);
}
