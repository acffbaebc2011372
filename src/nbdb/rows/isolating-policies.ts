// The policies of a namespace that isolate pods, counted by subject: which groups of pods are isolated in a direction follows
// from the counts, so that an added, changed or removed policy costs its own subjects. Invariant: the subjects of a direction
// are those of all policies that deny what no rule of theirs matches in it.

import { CountedSet } from "../../lib/counted-set.ts";
import type { Direction, GroupKey, Policy, PolicyKey } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { groupKeys } from "../../contents/rule-peers.ts";
import type { SharedUnitUsers } from "./shared-unit.ts";

const none: readonly GroupKey[] = [];

export class IsolatingPolicies implements SharedUnitUsers {
  readonly #policies = new Map<PolicyKey, Policy>();
  readonly #subjects = { ingress: new CountedSet<GroupKey>(), egress: new CountedSet<GroupKey>() };
  /** Sorted when they are asked for; null: they have changed since. */
  readonly #sorted: Record<Direction, readonly GroupKey[] | null> = { ingress: null, egress: null };

  /** The policy that has been there longest; null: there is none. */
  get first(): Policy | null {
    for (const policy of this.#policies.values()) return policy;
    return null;
  }

  set(policy: Policy): void {
    const before = this.#policies.get(policy.key) ?? null;
    this.#policies.set(policy.key, policy);
    this.#replace(before, policy);
  }

  remove(key: PolicyKey): void {
    const before = this.#policies.get(key) ?? null;
    this.#policies.delete(key);
    this.#replace(before, null);
  }

  /** The groups that are isolated, ascending; the same list as before unless they differ. */
  subjects(direction: Direction): readonly GroupKey[] {
    const subjects = this.#sorted[direction] ?? [...this.#subjects[direction].keys()].sort();
    this.#sorted[direction] = subjects;
    return subjects;
  }

  #replace(before: Policy | null, after: Policy | null): void {
    for (const direction of directions) {
      const subjects = this.#subjects[direction];
      // A group that stays never leaves meanwhile.
      const come = isolated(after, direction).filter((group) => subjects.add(group));
      const left = isolated(before, direction).filter((group) => subjects.remove(group));
      if (come.length + left.length > 0) this.#sorted[direction] = null;
    }
  }
}

function isolated(policy: Policy | null, direction: Direction): readonly GroupKey[] {
  return policy !== null && policy.unmatched[direction] === "deny" ? groupKeys(policy.subject) : none;
}
