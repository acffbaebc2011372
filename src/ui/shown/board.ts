// The shape of the answer of the first view. The page's scripts are checked against it.

import type { Ref } from "../../analysis/ref.ts";
import type { TierRef } from "../../explain/answer.ts";
import type { Trouble } from "../listed.ts";
import type { Excerpt } from "../excerpt.ts";
import type { PolicyShown } from "../shown.ts";
import type { LastChange, Writer } from "../world.ts";

export interface BoardShown {
  readonly revision: string;
  readonly health: HealthShown;
  /** In the order of evaluation. */
  readonly tiers: readonly BoardTier[];
  /** Policies of kinds that are not read. */
  readonly notRead: Excerpt<Ref>;
  /** What of the cluster could not be asked, one sentence each. */
  readonly notAsked: readonly string[];
}

export interface HealthShown {
  /** As a controller says it; null: none is asked here. */
  readonly enforced: {
    readonly total: number;
    /** As they are written. */
    readonly inForce: number;
    /** What keeps policies from it, or is not done yet, one sentence each. */
    readonly why: readonly string[];
  } | null;
  /** null: no controller is asked here, or it has not said it yet. */
  readonly writer: Writer | null;
  /** How many policies are not in force as their objects say. */
  readonly troubles: Readonly<Record<Trouble, number>>;
  /** How many policies are of kinds that are not read. */
  readonly notRead: number;
  /** null: nothing has changed since the page was started. */
  readonly lastChange: (LastChange & { readonly isPolicy: boolean }) | null;
}

export interface BoardTier extends TierRef {
  /** Of policies. */
  readonly total: number;
  readonly policies: readonly BoardCard[];
}

export interface BoardCard extends PolicyShown {
  /** What the policy applies to, in words. */
  readonly subject: Excerpt<string>;
  /** How many packets met its rules, in words; null: nothing is counted here, or the policy has no rules. */
  readonly met: string | null;
}
