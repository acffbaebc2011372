// A segment: a run of ACL priorities of one OVN tier, and how policies get places in it. `documented` places depend on the
// policy alone; `packed` ones on the order of all policies of the segment; `ranked` ones on that order and on history;
// `closed` segments take no policy.

import type { Policy } from "../../policy/ir.ts";

/** ACL priorities from `top` down to `bottom`, both ends in it. */
interface Levels {
  readonly top: number;
  readonly bottom: number;
}

export interface Documented extends Levels {
  readonly scheme: "documented";
  /** The number of ACL priorities that one policy priority spans: how many rules fit. */
  readonly step: number;
  /** The policy priority whose first rule is at `top`. */
  readonly first: number;
}

/**
 * Without room between, the last policy at the bottom. Policies that only allow, and that follow one another, share one
 * level: the order of their rules does not change the verdicts.
 */
export interface Packed extends Levels {
  readonly scheme: "packed";
}

/** With room between, so that an added policy seldom moves another. */
export interface Ranked extends Levels {
  readonly scheme: "ranked";
  /** The policy priorities that are expected, as the allocator's line has them: where a policy's own number would put it. */
  readonly expected: readonly [first: number, last: number, ...more: number[]] | null;
}

export interface Closed {
  readonly scheme: "closed";
  /** The reason that the user reads. */
  readonly why: string;
}

/** One of the table's segments, of any scheme or of one. */
export type Segment<S = Documented | Packed | Ranked | Closed> = S & {
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
