// A segment: a run of ACL priorities of one OVN tier, and how policies get places in it. `documented` places depend on the
// policy alone; `ranked` ones on the order of all policies of the segment; `closed` segments take no policy.

import type { Policy } from "../../policy/ir.ts";

/** ACL priorities from `top` down to `bottom`, both ends in it. */
interface Levels {
  readonly top: number;
  readonly bottom: number;
}

interface Documented extends Levels {
  readonly scheme: "documented";
  /** The number of ACL priorities that one policy priority spans: how many rules fit. */
  readonly step: number;
  /** The policy priority whose first rule is at `top`. */
  readonly first: number;
}

export interface Ranked extends Levels {
  readonly scheme: "ranked";
  /** Which end of the segment a shorter sequence is aligned to. */
  readonly align: "top" | "bottom";
  /**
   * Policies that only allow, and that follow one another, share one level: the order of their rules does not change
   * the verdicts.
   */
  readonly sharesAllows: boolean;
}

interface Closed {
  readonly scheme: "closed";
  /** The reason that the user reads. */
  readonly why: string;
}

export type Segment = (Documented | Ranked | Closed) & {
  readonly name: string;
  /** Whether the segment takes the policy. The segments of a tier are tried in their order. */
  readonly holds: (policy: Pick<Policy, "tier" | "priority">) => boolean;
};

/** An OVN tier with the segments of the evaluation tiers that share it. */
export interface OvnTier {
  /** ACL.tier. */
  readonly tier: number;
  /** In the order of evaluation. */
  readonly segments: readonly Segment[];
}
