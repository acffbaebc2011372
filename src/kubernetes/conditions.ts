// The condition that every zone keeps on a policy, in OVN-Kubernetes' words, so that whoever reads its conditions reads
// ours. A kind whose documentation has messages of its own says them instead of its findings.

import type { ConditionWords } from "../policy/dialect.ts";

export function conditionWords(problem: ConditionWords["problem"] = () => null): ConditionWords {
  return {
    // One zone for the whole cluster is called global.
    type: (zone) => `Ready-In-Zone-${zone ?? "global"}`,
    reasons: { succeeded: "SetupSucceeded", failed: "SetupFailed" },
    success: "Setting up OVN DB plumbing was successful",
    problem,
  };
}
