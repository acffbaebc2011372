// What was reported of each policy, so that nothing is reported twice, and which policies are in force, so that metrics
// count what the database acknowledged and not what users wrote.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem, ProblemCode } from "../model/problem.ts";
import { problemCodes } from "../model/problem.ts";
import type { Policy, PolicyKey } from "../policy/ir.ts";
import type { Unenforced, UnenforcedReason } from "../policy/contracts/unenforced.ts";
import { unenforcedReasons } from "../policy/contracts/unenforced.ts";

/** Why a policy is not in force as written: its finding, what keeps its rows from effect, or what is still pending. */
export type NotInForceReason = ProblemCode | UnenforcedReason | "Pending" | "ChassisBehind";
export const notInForceReasons: readonly NotInForceReason[] = [
  ...problemCodes,
  ...unenforcedReasons,
  "Pending",
  "ChassisBehind",
];

/** What the chassis have reported about the rows; without a question to them, an acknowledged commit is the proof. */
export type ProofState = "asked" | "late" | "proven";

interface Report {
  /** The last policy whose rows the database acknowledged. */
  readonly inForce: Policy | null;
  /** The last report, with the version of the object that it is about. */
  readonly said: string;
  readonly of: PolicyRecord;
  /** Findings of a refusal; none: the rows are settled. */
  readonly problems: readonly Problem[];
  proof: ProofState;
  /** Why the settled rows are not enforced; undefined: not checked yet. */
  unenforced?: Unenforced | null;
  /** What of it was reported last; undefined: nothing was. */
  told?: Unenforced | null;
  /** When that was. */
  toldAt: number;
}

/** The reason stays; its text, which counts pods, may change with every pod. */
const sameReasonAgainMs = 60_000;

export class ReportedPolicies {
  readonly #entries = new Map<PolicyKey, Report>();

  /** The policies whose rows the database has. */
  *inForce(): Generator<Policy> {
    for (const { inForce } of this.#entries.values()) if (inForce !== null) yield inForce;
  }

  /** The records whose rows are settled. */
  *settledRecords(): Generator<PolicyRecord> {
    for (const { of, problems } of this.#entries.values()) if (problems.length === 0) yield of;
  }

  /** The policies that are unenforced, and why, as of the last review. */
  *unenforced(): Generator<readonly [PolicyKey, Unenforced]> {
    for (const [key, { unenforced, problems }] of this.#entries)
      if (problems.length === 0 && unenforced) yield [key, unenforced];
  }

  /** Returns whether the report is new. */
  settled(record: PolicyRecord): boolean {
    return this.#note({ inForce: record.policy, said: "settled", of: record, problems: [] });
  }

  refused(record: PolicyRecord, problems: readonly Problem[]): boolean {
    const inForce = this.#entries.get(record.key)?.inForce ?? null;
    return this.#note({ inForce, said: JSON.stringify(problems), of: record, problems });
  }

  /** Whether the last report was of this version of the policy. */
  isOf(record: PolicyRecord): boolean {
    return this.#entries.get(record.key)?.of === record;
  }

  removed(key: PolicyKey): boolean {
    return this.#entries.delete(key);
  }

  /** Nothing was reported and nothing is known to be in force. */
  clear(): void {
    this.#entries.clear();
  }

  /** Of settled rows. Returns whether to report this: another reason, or another text for a while. */
  judged(key: PolicyKey, unenforced: Unenforced | null, now: number): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    const { told } = entry;
    entry.unenforced = unenforced;
    const isSameReason = told !== undefined && told?.reason === unenforced?.reason;
    const isSameText = told?.message === unenforced?.message || now - entry.toldAt < sameReasonAgainMs;
    if (isSameReason && isSameText) return false;
    entry.told = unenforced;
    entry.toldAt = now;
    return true;
  }

  proof(key: PolicyKey): ProofState | null {
    return this.#entries.get(key)?.proof ?? null;
  }

  proves(key: PolicyKey, state: ProofState): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.proof = state;
  }

  /** null: it is in force as written. */
  whyNotInForce(record: PolicyRecord): NotInForceReason | null {
    if (record.rejected) return firstError(record.problems);
    const entry = this.#entries.get(record.key);
    if (entry?.of !== record) return "Pending";
    if (entry.problems.length > 0) return firstError(entry.problems);
    if (entry.proof === "late") return "ChassisBehind";
    if (entry.proof === "asked") return "Pending";
    return entry.unenforced?.reason ?? firstErrorIn(record.problems);
  }

  #note(report: Omit<Report, "proof" | "unenforced" | "told" | "toldAt">): boolean {
    const { key } = report.of;
    const before = this.#entries.get(key);
    if (before?.said === report.said && before.of === report.of) return false;
    this.#entries.set(key, { ...report, proof: "asked", toldAt: 0 });
    return true;
  }
}

function firstError(problems: readonly Problem[]): ProblemCode {
  return firstErrorIn(problems) ?? "InvalidObject";
}

/** null: warnings alone. A policy with errors may be in force: a part of it is then left out, or stricter than written. */
function firstErrorIn(problems: readonly Problem[]): ProblemCode | null {
  return problems.find(({ severity }) => severity === "error")?.code ?? null;
}
