// Places without room between: policies in the order (tier, priority, tie text, key), each with as many consecutive levels as its
// rules need, the last of them at the segment's bottom; behind the policies of a tier without a fixed end, the level of
// its default denies. Depends on the policies alone. While all of them only allow, they share the bottom level and
// nothing is sorted.

import { invariant } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Policy, PolicyKey, Tier } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { TierKey } from "../../policy/order.ts";
import { isSameTier, tierKey } from "../../policy/order.ts";
import { aclTierOf, endOf } from "./layout.ts";
import type { Run, SegmentPlaces } from "./places.ts";
import { byOrder, isSameRun, levelsOf, refusal } from "./places.ts";
import type { Packed, Segment } from "./segment.ts";

export class PackedPlaces implements SegmentPlaces {
  readonly dependOnOthers = true;
  readonly #segment: Segment<Packed>;
  readonly #policies = new Map<PolicyKey, Policy>();
  readonly #runs = new Map<PolicyKey, Run>();
  /** Policies that cannot share the one level of those that only allow. */
  readonly #apart = new Set<PolicyKey>();

  constructor(segment: Segment<Packed>) {
    this.#segment = segment;
  }

  admit(policy: Policy): readonly Refusal[] {
    if (isApart(policy) || !this.#areAlike()) {
      const others = this.#policies.values().filter(({ key }) => key !== policy.key);
      if (sequence([...others, policy], this.#segment) === null)
        return [
          refusal("NoPlace", "priority", `OVN has no ACL priorities left among those ${this.#segment.name}`),
        ];
    }
    return [];
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const wasAlike = this.#areAlike();
    this.#policies.set(policy.key, policy);
    if (isApart(policy)) this.#apart.add(policy.key);
    else this.#apart.delete(policy.key);
    return wasAlike && this.#areAlike() ? this.#settle([policy]) : this.#settleAll();
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    const wasAlike = this.#areAlike();
    this.#policies.delete(key);
    this.#runs.delete(key);
    this.#apart.delete(key);
    return wasAlike ? [] : this.#settleAll();
  }

  adopt(): readonly PolicyKey[] {
    return [];
  }

  run(key: PolicyKey): Run {
    const run = this.#runs.get(key);
    invariant(run !== undefined, `${key} is not in segment ${this.#segment.name}`);
    return run;
  }

  /** They share one level. */
  #areAlike(): boolean {
    return this.#apart.size === 0;
  }

  #settleAll(): readonly PolicyKey[] {
    return this.#settle([...this.#policies.values()]);
  }

  /** Places these policies as if they were all; returns those whose place changed. */
  #settle(policies: readonly Policy[]): readonly PolicyKey[] {
    const runs = sequence(policies, this.#segment);
    invariant(runs !== null, `segment ${this.#segment.name} took a policy that it has no room for`);
    const moved: PolicyKey[] = [];
    for (const [key, run] of runs) {
      const before = this.#runs.get(key);
      if (before !== undefined && isSameRun(before, run)) continue;
      this.#runs.set(key, run);
      moved.push(key);
    }
    return moved;
  }
}

/** null: the segment has too few levels. */
function sequence(policies: readonly Policy[], segment: Packed): ReadonlyMap<PolicyKey, Run> | null {
  const { offsets, ends, length } = laidOut(policies.toSorted(byOrder));
  if (length > segment.top - segment.bottom + 1) return null;
  const top = segment.bottom + length - 1;
  return new Map(
    Array.from(offsets, ([policy, offset]) => {
      const end = endOf(policy.tier) ?? top - (ends.get(tierKey(policy.tier)) ?? 0);
      const levels = onlyAllows(policy) ? "one" : "each";
      return [policy.key, { tier: aclTierOf(policy.tier), start: top - offset, end, levels }];
    }),
  );
}

/** Offsets from the first level, of policies and of the ends of tiers. */
function laidOut(sorted: readonly Policy[]) {
  const offsets = new Map<Policy, number>();
  const ends = new Map<TierKey, number>();
  let next = 0;
  for (const [at, policy] of sorted.entries()) {
    const before = sorted[at - 1];
    const isShared = isOfTier(before, policy.tier) && onlyAllows(before) && onlyAllows(policy);
    if (isShared) offsets.set(policy, next - 1);
    else {
      offsets.set(policy, next);
      next += onlyAllows(policy) ? 1 : levelsOf(policy);
    }
    if (!isOfTier(sorted[at + 1], policy.tier) && endOf(policy.tier) === null)
      ends.set(tierKey(policy.tier), next++);
  }
  return { offsets, ends, length: next };
}

function isOfTier(policy: Policy | undefined, tier: Tier): policy is Policy {
  return policy !== undefined && isSameTier(policy.tier, tier);
}

/** Of another tier than the segment's own, which has a fixed end, or with a rule that does not allow. */
function isApart(policy: Policy): boolean {
  return endOf(policy.tier) === null || !onlyAllows(policy);
}

/** Rules that only allow need no order among themselves. */
function onlyAllows({ rules }: Policy): boolean {
  return directions.every((direction) => rules[direction].every(({ action }) => action === "allow"));
}
