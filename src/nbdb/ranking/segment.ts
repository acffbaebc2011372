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
  /** ACL priorities that one policy priority takes: the number of rules that fit. */
  readonly step: number;
  /** The policy priority whose first rule is at `top`. */
  readonly first: number;
}

export interface Ranked extends Levels {
  readonly scheme: "ranked";
  /** Where a sequence shorter than the segment lies in it. */
  readonly align: "top" | "bottom";
  /**
   * Policies that only allow and follow one another share one level: no order between their rules changes what they
   * mean together.
   */
  readonly sharesAllows: boolean;
}

interface Closed {
  readonly scheme: "closed";
  /** What a user is told. */
  readonly why: string;
}

export type Segment = (Documented | Ranked | Closed) & {
  readonly name: string;
  /** Whether the segment is the policy's. Asked of the segments of a tier in their order. */
  readonly holds: (policy: Pick<Policy, "tier" | "priority">) => boolean;
};

/** An OVN tier with the segments of the evaluation tiers that share it. */
export interface OvnTier {
  /** ACL.tier. */
  readonly tier: number;
  /** In the order of evaluation. */
  readonly segments: readonly Segment[];
}
