// The condition that every zone keeps on a policy, with OVN-Kubernetes' type and texts, so that programs that read its
// conditions can read ours. A kind with documented messages of its own uses them instead of its findings.

import type { ConditionWords } from "../policy/contracts/dialect.ts";

export function conditionWords(problem: ConditionWords["problem"] = () => null): ConditionWords {
  return {
    // One zone for the whole cluster is called global.
    type: (zone) => `Ready-In-Zone-${zone ?? "global"}`,
    reasons: { succeeded: "SetupSucceeded", failed: "SetupFailed" },
    success: "Setting up OVN DB plumbing was successful",
    problem,
  };
}
