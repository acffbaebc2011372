// The engine's records of policy objects by key, and which of them share a kind, a tier and a priority, for kinds that report
// their owners so. Cost of a change: that of one record. Invariant: `sharing` is what a look at all records would find.

import { isDeepStrictEqual } from "node:util";
import type { PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { Compiled, PolicyKindTraits } from "../policy/contracts/dialect.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import { placeKey } from "../policy/order.ts";

/** The engine's record of one policy object. */
export interface PolicyRecord {
  readonly key: PolicyKey;
  readonly kind: PolicyKindTraits;
  readonly object: PolicyObject;
  /** The policy in force; null when the object never compiled. */
  readonly policy: Policy | null;
  /** Findings of the last compilation. */
  readonly problems: readonly Problem[];
  /** True when the last compilation was refused, so that `policy` is the object's earlier version. */
  readonly rejected: boolean;
  /** True while the object is staged: it is understood, and nothing of it is in force. */
  readonly isStaged: boolean;
}

const none: readonly PolicyKey[] = [];

/** Equal for policies that share a priority; null: the policy shares none, whatever the others are. */
export function rankOf({ kind, policy }: Pick<PolicyRecord, "kind" | "policy">): string | null {
  // A tie text decides where the priority does not.
  if (policy === null || kind.events.samePriority === null || policy.tie !== undefined) return null;
  return [kind.ownerType, placeKey(policy)].join(" ");
}

/**
 * Whether another compilation of the record's object, when there may be room, is to be taken. Of a refused object any other result
 * is. Of one in force with rules that are closed, one that has fewer of them closed and no others: so that taking ends, however
 * policies vie for room.
 */
export function isProgress({ policy, problems }: Compiled, record: PolicyRecord): boolean {
  if (record.rejected) return policy !== null || !isDeepStrictEqual(problems, record.problems);
  const isKnown = (problem: Problem): boolean =>
    record.problems.some((other) => isDeepStrictEqual(other, problem));
  return policy !== null && problems.length < record.problems.length && problems.every(isKnown);
}

export class PolicyRecords {
  readonly #records = new Map<PolicyKey, PolicyRecord>();
  /** By rank, ascending. */
  readonly #ranks = new Map<string, PolicyKey[]>();

  get size(): number {
    return this.#records.size;
  }

  get(key: PolicyKey): PolicyRecord | undefined {
    return this.#records.get(key);
  }

  values(): IterableIterator<PolicyRecord> {
    return this.#records.values();
  }

  /** The keys of the policies with the record's rank, its own among them, ascending; none for a record without one. */
  sharing(record: PolicyRecord): readonly PolicyKey[] {
    const rank = rankOf(record);
    return rank === null ? none : (this.#ranks.get(rank) ?? none);
  }

  set(record: PolicyRecord): void {
    const { key } = record;
    const before = this.#records.get(key);
    this.#records.set(key, record);
    const [old, now] = [before === undefined ? null : rankOf(before), rankOf(record)];
    if (old === now) return;
    this.#leave(key, old);
    if (now === null) return;
    const keys = this.#ranks.get(now) ?? [];
    this.#ranks.set(now, keys);
    keys.splice(placeOf(key, keys), 0, key);
  }

  delete(key: PolicyKey): void {
    const before = this.#records.get(key);
    if (before === undefined) return;
    this.#records.delete(key);
    this.#leave(key, rankOf(before));
  }

  #leave(key: PolicyKey, rank: string | null): void {
    const keys = rank === null ? undefined : this.#ranks.get(rank);
    if (rank === null || keys === undefined) return;
    keys.splice(placeOf(key, keys), 1);
    if (keys.length === 0) this.#ranks.delete(rank);
  }
}

/** Where the key is among the ascending ones, or would be. */
function placeOf(key: PolicyKey, keys: readonly PolicyKey[]): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = keys[middle];
    if (other !== undefined && other < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
