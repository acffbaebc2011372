// The contract of a backend: it holds the desired rows of every policy and makes a database say the same.

import type { IpFamily } from "../model/ip.ts";
import type { Edges } from "./membership.ts";
import type { Direction, Policy, PolicyKey } from "./ir.ts";
import type { Problem, ProblemCode } from "../model/problem.ts";
import type { UnmatchedPort } from "./unmatched-port.ts";

/** Which part of a policy a refusal is about; the dialect says which field that is. */
export type PolicyPart =
  | { readonly kind: "policy" | "tier" | "priority" | "subject" }
  | { readonly kind: "unmatched"; readonly direction: Direction }
  | {
      readonly kind: "rule";
      readonly direction: Direction;
      /** `Rule.index`. */
      readonly index: number;
      readonly field: "rule" | "action" | "subject" | "peers" | "ports" | "logging";
    };

/** Something that a backend cannot say, or has no place for. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly part: PolicyPart;
  /** One sentence, without the field and without a full stop. */
  readonly message: string;
}

/** What one attempt to write came to. */
export interface CommitOutcome {
  /** Policies whose rows are now as desired, because they were written or already right. */
  readonly settled: readonly PolicyKey[];
  /** Policies whose rows the database refused, with its reason. */
  readonly refused: ReadonlyMap<PolicyKey, Problem>;
  /** Why the rest is not written, in one sentence; null when nothing is left but refused rows. */
  readonly interrupted: string | null;
}

export interface Backend {
  /** The database's contents are known; commit() may be called. */
  readonly ready: boolean;
  /** The database has something that this program, or one before it, has written for a policy. Asked while `ready`. */
  holdsRows(): boolean;
  /** Calls back whenever commit() may have something new to do: connected, drift seen, a port appeared. */
  onWork(callback: () => void): void;
  /** The families the cluster serves, v4 first; rows are written for these. */
  serve(families: readonly IpFamily[]): void;
  /** Why the policy cannot be made desired; none: `upsert` takes it. Changes nothing and never throws. */
  admit(policy: Policy): readonly Refusal[];
  /** Makes `policy` desired in place of what the key had. Its groups are retained. */
  upsert(policy: Policy): void;
  /** Makes nothing desired for the key any more. */
  remove(key: PolicyKey): void;
  /** Protects whatever rows the key has from the sweep: its object exists, but cannot be understood. */
  freeze(key: PolicyKey): void;
  /** Tries refused rows of the key again with the next commit. */
  retry(key: PolicyKey): void;
  /** Group contents that may have changed since the last call. */
  touch(edges: Edges): void;
  /** The policy's named ports that match nothing as they stand. */
  unmatchedPorts(key: PolicyKey): readonly UnmatchedPort[];
  /** Writes the difference between desired and actual rows. Never rejects; a lost connection is an outcome. */
  commit(): Promise<CommitOutcome>;
}
