// Ranks all policies of every tier: assigns their ACL tiers and priorities, and returns the policies that moved when
// another came or went. Refuses a policy that has no place; the policies that have one keep it.

import { invariant, unreachable } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/backend.ts";
import type { Policy, PolicyKey } from "../../policy/ir.ts";
import { endOf, ovnTierOf, segmentOf } from "./layout.ts";
import type { Segment } from "./segment.ts";
import type { Run } from "./sequence.ts";
import { levelsOf, sequence } from "./sequence.ts";
import { TierUse } from "./tier-use.ts";

/** ACL.tier and ACL.priority. */
export interface AclPlace {
  readonly tier: number;
  readonly priority: number;
}

export class Ranking {
  readonly #policies = new Map<PolicyKey, Policy>();
  /** The policies of each segment. */
  readonly #members = new Map<Segment, Map<PolicyKey, Policy>>();
  readonly #runs = new Map<PolicyKey, Run>();
  readonly #tiers = new TierUse();

  /** Why the policy cannot have a place beside the present ones. Changes nothing. */
  admit(policy: Policy): readonly Refusal[] {
    const segment = segmentOf(policy);
    const others = this.#othersThan(policy.key, segment);
    const conflict = this.#tiers.conflict(policy);
    const tier =
      conflict === null
        ? []
        : [refusal("TooManyTiers", "tier", `OVN has no tier left for tier ${policy.tier.name}: ${conflict}`)];
    return [...tier, ...refusalsOf(policy, segment, others)];
  }

  /** Places an admitted policy; returns the other policies whose place changed. */
  upsert(policy: Policy): readonly PolicyKey[] {
    const left = this.#take(policy.key);
    const segment = segmentOf(policy);
    const members = this.#members.get(segment) ?? new Map<PolicyKey, Policy>();
    this.#members.set(segment, members.set(policy.key, policy));
    this.#policies.set(policy.key, policy);
    this.#tiers.add(policy);
    const moved = segment.scheme === "ranked" ? this.#rank(segment) : this.#settle([policy], segment);
    const behind = left === null || left === segment ? [] : this.#rank(left);
    return [...moved, ...behind].filter((key) => key !== policy.key);
  }

  /** Returns the policies whose place changed. */
  remove(key: PolicyKey): readonly PolicyKey[] {
    const left = this.#take(key);
    this.#runs.delete(key);
    return left === null ? [] : this.#rank(left);
  }

  /** The place of a rule, in either direction. Throws for a policy that has none. */
  place(key: PolicyKey, ruleIndex: number): AclPlace {
    const { tier, start, isShared } = this.#run(key);
    return { tier, priority: isShared ? start : start - ruleIndex };
  }

  /** The place of a policy's default denies: behind every rule of its tier. */
  end(key: PolicyKey): AclPlace {
    const { tier, end } = this.#run(key);
    return { tier, priority: end };
  }

  /** Takes the policy out; returns the segment that it was in. */
  #take(key: PolicyKey): Segment | null {
    const policy = this.#policies.get(key);
    if (policy === undefined) return null;
    this.#policies.delete(key);
    this.#tiers.remove(key);
    const segment = segmentOf(policy);
    this.#members.get(segment)?.delete(key);
    return segment;
  }

  #run(key: PolicyKey): Run {
    const run = this.#runs.get(key);
    invariant(run !== undefined, `asked for the place of a policy that has none: ${key}`);
    return run;
  }

  #othersThan(key: PolicyKey, segment: Segment): readonly Policy[] {
    if (segment.scheme !== "ranked") return [];
    const members = this.#members.get(segment)?.values() ?? [].values();
    return [...members.filter((policy: Policy) => policy.key !== key)];
  }

  /** Places the segment's policies anew, where the place of one depends on others. */
  #rank(segment: Segment): readonly PolicyKey[] {
    if (segment.scheme !== "ranked") return [];
    return this.#settle([...(this.#members.get(segment)?.values() ?? [])], segment);
  }

  /** Returns the policies whose place changed. */
  #settle(policies: readonly Policy[], segment: Segment): readonly PolicyKey[] {
    const runs = placed(policies, segment);
    invariant(runs !== null, `segment ${segment.name} took a policy that it has no room for`);
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

function isSameRun(a: Run, b: Run): boolean {
  return a.tier === b.tier && a.start === b.start && a.end === b.end && a.isShared === b.isShared;
}

function refusalsOf(policy: Policy, segment: Segment, others: readonly Policy[]): readonly Refusal[] {
  switch (segment.scheme) {
    case "closed": {
      const message = `priority ${policy.priority} is not supported: ${segment.why}`;
      return [refusal("UnsupportedPriority", "priority", message)];
    }
    case "documented":
      if (!Number.isInteger(policy.priority))
        return [refusal("UnsupportedPriority", "priority", `priority ${policy.priority} is no integer`)];
      if (levelsOf(policy) <= segment.step) return [];
      return [
        refusal("NoPlace", "policy", `OVN has ACL priorities only for ${segment.step} rules a direction`),
      ];
    case "ranked":
      if (placed([...others, policy], segment) !== null) return [];
      return [refusal("NoPlace", "priority", `OVN has no ACL priorities left among those ${segment.name}`)];
    default:
      return unreachable(segment);
  }
}

/** null: the segment has too few levels. */
function placed(policies: readonly Policy[], segment: Segment): ReadonlyMap<PolicyKey, Run> | null {
  if (segment.scheme === "ranked") return sequence(policies, segment);
  if (segment.scheme === "closed") return policies.length === 0 ? new Map() : null;
  const { top, first, step } = segment;
  return new Map(
    policies.map(({ key, priority, tier }) => {
      const start = top - (priority - first) * step;
      return [key, { tier: ovnTierOf(tier).tier, start, end: endOf(tier) ?? start, isShared: false }];
    }),
  );
}

function refusal(code: Refusal["code"], part: "policy" | "tier" | "priority", message: string): Refusal {
  return { code, part: { kind: part }, message };
}
