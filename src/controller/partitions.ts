// The plain forms of policies about the subject's own namespaces, kept equal to the values that those namespaces have.
// A plain policy is its own plain form and costs nothing here. Invariant: after `settle` every plain form is what
// expand() makes of its policy and the present values, and exactly the partitions of these policies are retained.

import { isReused } from "../lib/identity.ts";
import { Multimap } from "../lib/multimap.ts";
import type { Partitions } from "../groups/index.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Expansion, Partition, PartitionKey } from "../policy/partition.ts";
import { expand, isPlain, partitionsOf } from "../policy/partition.ts";

interface Held extends Expansion {
  readonly partitions: readonly Partition[];
}

/** A plain form that replaces an earlier one. */
export interface Replacement {
  readonly before: Policy;
  readonly after: Policy;
}

export class PlainPolicies {
  readonly #partitions: Partitions;
  readonly #held = new Map<PolicyKey, Held>();
  readonly #users = new Multimap<PartitionKey, PolicyKey>();

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
  }

  /** The plain form of the policy that was set last. */
  of(policy: Policy): Policy {
    return this.#held.get(policy.key)?.expanded ?? policy;
  }

  /** Sets the policy and replaces its key's earlier one; returns the plain form. */
  set(policy: Policy): Policy {
    if (isPlain(policy)) {
      this.remove(policy.key);
      return policy;
    }
    const before = this.#held.get(policy.key);
    const partitions = partitionsOf(policy);
    // Retain new partitions first, so that one in use before and after is never released.
    for (const partition of partitions) this.#partitions.retain(partition);
    this.remove(policy.key);
    for (const { key } of partitions) this.#users.add(key, policy.key);
    return this.#expand({ policy, partitions, before: before ?? null });
  }

  /** Forgets a key; one that is not known, or plain, changes nothing. */
  remove(key: PolicyKey): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    for (const partition of held.partitions) {
      this.#users.remove(partition.key, key);
      this.#partitions.release(partition);
    }
  }

  /** Expands again where values may have changed since the last call, and returns the plain forms that changed. */
  settle(): readonly Replacement[] {
    const stale = new Set<PolicyKey>();
    for (const partition of this.#partitions.drain())
      for (const key of this.#users.get(partition)) stale.add(key);
    return [...stale].flatMap((key) => {
      const held = this.#held.get(key);
      if (held === undefined) return [];
      const after = this.#expand({ ...held, before: held });
      return isReused(held.expanded, after) ? [] : [{ before: held.expanded, after }];
    });
  }

  #expand({
    policy,
    partitions,
    before,
  }: Omit<Held, "expanded"> & { readonly before: Expansion | null }): Policy {
    const expanded = expand(policy, (partition) => this.#partitions.values(partition), before);
    this.#held.set(policy.key, { policy, partitions, expanded });
    return expanded;
  }
}
