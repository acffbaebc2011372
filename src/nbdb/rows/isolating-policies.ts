// The policies of a namespace that isolate pods, counted by subject: which groups of pods are isolated in a direction follows
// from the counts. Invariant: the subjects of a direction are those of all policies that deny what no rule of theirs matches in it.

import type { Direction, GroupKey, Policy, PolicyKey } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { groupKeys } from "../../contents/rule-peers.ts";
import { CountedSubjects } from "./counted-subjects.ts";
import type { SharedUnitUsers } from "./sets/shared-unit.ts";

const none: readonly GroupKey[] = [];

export class IsolatingPolicies implements SharedUnitUsers {
  readonly #policies = new Map<PolicyKey, Policy>();
  readonly #subjects = { ingress: new CountedSubjects(), egress: new CountedSubjects() };

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
    return this.#subjects[direction].subjects;
  }

  #replace(before: Policy | null, after: Policy | null): void {
    for (const direction of directions)
      this.#subjects[direction].replace(isolated(before, direction), isolated(after, direction));
  }
}

function isolated(policy: Policy | null, direction: Direction): readonly GroupKey[] {
  return policy !== null && policy.unmatched[direction] === "deny" ? groupKeys(policy.subject) : none;
}
