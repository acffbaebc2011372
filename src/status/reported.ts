// What has been said of each policy, so that nothing is said twice, and which of them are in force, so that metrics count
// what the database enforces and not what somebody wrote.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem } from "../model/problem.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";

interface Report {
  /** The last policy whose rows the database acknowledged. */
  readonly inForce: Policy | null;
  /** What was said last, and of which reading of the object. */
  readonly said: string;
  readonly of: PolicyRecord;
}

export class ReportedPolicies {
  readonly #entries = new Map<PolicyKey, Report>();

  /** The policies that the database enforces. */
  *inForce(): Generator<Policy> {
    for (const { inForce } of this.#entries.values()) if (inForce !== null) yield inForce;
  }

  /** Returns whether that is news. */
  settled(record: PolicyRecord): boolean {
    return this.#note(record.key, { inForce: record.policy, said: "settled", of: record });
  }

  refused(record: PolicyRecord, problems: readonly Problem[]): boolean {
    const inForce = this.#entries.get(record.key)?.inForce ?? null;
    return this.#note(record.key, { inForce, said: JSON.stringify(problems), of: record });
  }

  removed(key: PolicyKey): boolean {
    return this.#entries.delete(key);
  }

  #note(key: PolicyKey, entry: Report): boolean {
    const before = this.#entries.get(key);
    this.#entries.set(key, entry);
    return before?.said !== entry.said || before.of !== entry.of;
  }
}
