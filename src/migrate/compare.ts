// Whether two sets of policies mean the same for one world. Exact for all ends of which everything is known: the engine of
// verdicts compares every connection of theirs. Where the API leaves the order of the earlier policies open, the later ones may
// settle it: their verdicts must be among the earlier ones. Pods whose Namespace was not read are in unread.ts.

import type { FactStore } from "../model/fact-store.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { Policy } from "../policy/ir.ts";
import type { Verdict } from "../policy/ties.ts";
import type { RawClass } from "../verdicts/classes.ts";
import type { Comparison as VerdictComparison } from "../verdicts/comparison.ts";
import { comparisonsOf } from "../verdicts/comparison.ts";
import { representativeOf } from "../verdicts/questions/representative.ts";
import type { Difference } from "./difference.ts";
import type { Compared } from "./unread.ts";
import { compareUnread } from "./unread.ts";

export interface Comparison {
  /** All that have an address. */
  readonly pods: number;
  /** Classes of connections, and those of `unread`. */
  readonly differing: number;
  /** The first of them. */
  readonly examples: readonly Difference[];
  /** What was compared for pods whose Namespace was not read; null: there are none, or it makes no difference. */
  readonly unread: Compared | null;
}

const shown = 5;

/** `work`: how often a rule may be compared with a connection of pods whose Namespace was not read. */
export function compare(
  facts: FactStore,
  before: readonly Policy[],
  after: readonly Policy[],
  work?: number,
): Comparison {
  const worlds = { old: { policies: before, facts }, new: { policies: after, facts } };
  const known = comparisonsOf(worlds).flatMap((comparison) => {
    const widened = comparison.run().filter(({ change }) => change.old !== "unknown");
    return widened.flatMap((one) => differenceOf(comparison, one) ?? []);
  });
  const unread = compareUnread(facts, worlds, work);
  const pods = Iterator.from(facts.pods.values()).filter((pod) => isOnPodNetwork(pod) && pod.ips.length > 0);
  return {
    pods: pods.toArray().length,
    differing: known.length + (unread?.differences.length ?? 0),
    examples: [...known, ...(unread?.differences ?? [])].slice(0, shown),
    unread,
  };
}

function differenceOf(comparison: VerdictComparison, raw: RawClass): Difference | null {
  const connection = representativeOf(comparison, raw);
  const { old, new: next } = raw.change;
  return connection === null ? null : { connection, before: verdictsOf(old), after: verdictsOf(next) };
}

/** Unknown is either: policies of equal priority disagree. */
function verdictsOf(verdict: Verdict | "unknown"): ReadonlySet<Verdict> {
  return new Set(verdict === "unknown" ? ["allow", "deny"] : [verdict]);
}
