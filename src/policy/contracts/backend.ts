// The contract of a backend: it holds the desired rows of every policy and makes a database equal to them.

import type { IpFamily } from "../../model/ip.ts";
import type { Edges } from "./membership.ts";
import type { Direction, Policy, PolicyKey } from "../ir.ts";
import type { Problem, ProblemCode } from "../../model/problem.ts";
import type { Unenforced } from "./unenforced.ts";
import type { UnmatchedPort } from "./unmatched-port.ts";

export interface RulePart {
  readonly kind: "rule";
  readonly direction: Direction;
  /** `Rule.index`. */
  readonly index: number;
  readonly field: "rule" | "action" | "subject" | "peers" | "ports" | "logging";
}

/** The part of a policy that a refusal is about; the dialect gives the field's path. */
export type PolicyPart =
  | { readonly kind: "policy" | "tier" | "priority" | "subject" }
  | { readonly kind: "unmatched"; readonly direction: Direction }
  | RulePart;

/**
 * A part of a policy that a backend cannot express, or has no place for. One of a rule may lead to the question about the policy
 * with that rule closed: it denies, and matches everything where the refused field said what it matches.
 */
export interface Refusal {
  readonly code: ProblemCode;
  readonly part: PolicyPart;
  /** One sentence, without the field and without a full stop. */
  readonly message: string;
  /** Of a refusal that is not about one rule: the rules that lead to it. With these closed, the policy is not refused for it. */
  readonly rules?: readonly RulePart[];
}

/** The result of one attempt to write. */
export interface CommitOutcome {
  /**
   * Policies whose rows are now as desired, because they were written or already right. One that was settled before may be left
   * out where only rows that it shares with others were written.
   */
  readonly settled: readonly PolicyKey[];
  /** Policies whose rows the database refused, with its reason. */
  readonly refused: ReadonlyMap<PolicyKey, Problem>;
  /** Why the rest is not written, in one sentence; null when only refused rows remain. */
  readonly interrupted: string | null;
}

export interface Backend {
  /** The database's contents are known; commit() may be called. */
  readonly ready: boolean;
  /** Another program writes for the same policies: this one keeps up, writes nothing and reports nothing. */
  readonly isStandby: boolean;
  /** The database has something that this program, or one before it, has written for a policy; false: not that we know. */
  holdsRows(): boolean;
  /**
   * The backend calls `callback` whenever commit() may have new work: it connected, saw drift, a port appeared, the answer
   * of `unenforced(null)` may be another, or `standsBy` changed. After `standsBy` was true, the next commit examines every policy.
   */
  onWork(callback: () => void): void;
  /** The families the cluster serves, v4 first; rows are written for these. */
  serve(families: readonly IpFamily[]): void;
  /** Why the policy cannot be made desired; none: `upsert` accepts it. Changes nothing and never throws. */
  admit(policy: Policy): readonly Refusal[];
  /** Makes `policy` desired and replaces the key's earlier policy. Its groups are retained. */
  upsert(policy: Policy): void;
  /** Removes the key's policy from the desired state. */
  remove(key: PolicyKey): void;
  /**
   * Policies in force of which `admit` may answer otherwise than it did, since others came, left or changed: a rule of theirs has no
   * place any more, or has one again. Each once; the next call returns those of changes since this one. They are to be admitted and
   * upserted again before commit().
   */
  takeContested(): readonly PolicyKey[];
  /** Keeps all rows of the key from the sweep: its object exists, but cannot be compiled. */
  freeze(key: PolicyKey): void;
  /** Tries refused rows of the key again with the next commit. */
  retry(key: PolicyKey): void;
  /** Group contents that may have changed since the last call. */
  touch(edges: Edges): void;
  /** The policy's named ports that no pod of the rule declares. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[];
  /**
   * Why the policy is not enforced on all of its subject although it is written; null: nothing says so. Of the key null:
   * why no policy at all is. Cheap: asked often.
   */
  unenforced(key: PolicyKey | null): Unenforced | null;
  /** Writes the difference between desired and actual rows. Never rejects; a lost connection is an outcome. */
  commit(): Promise<CommitOutcome>;
}
