// What was reported of each policy, so that nothing is reported twice, and which policies are in force, so that metrics
// count what the database enforces and not what users wrote.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem } from "../model/problem.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";

interface Report {
  /** The last policy whose rows the database acknowledged. */
  readonly inForce: Policy | null;
  /** The last report, with the version of the object that it is about. */
  readonly said: string;
  readonly of: PolicyRecord;
}

export class ReportedPolicies {
  readonly #entries = new Map<PolicyKey, Report>();

  /** The policies that the database enforces. */
  *inForce(): Generator<Policy> {
    for (const { inForce } of this.#entries.values()) if (inForce !== null) yield inForce;
  }

  /** Returns whether the report is new. */
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

  /** Nothing was reported and nothing is known to be in force. */
  clear(): void {
    this.#entries.clear();
  }

  #note(key: PolicyKey, entry: Report): boolean {
    const before = this.#entries.get(key);
    this.#entries.set(key, entry);
    return before?.said !== entry.said || before.of !== entry.of;
  }
}
