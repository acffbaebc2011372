// What a gate (--fail-on) refuses.

import type { VerdictClass } from "./report.ts";

export type Failure = "allow-to-deny" | "deny-to-allow" | "unknown";

/** As the flags of a command say. */
export interface Gate {
  /** None: every difference is refused. */
  readonly failOn: readonly Failure[];
  /** Changed policies that were not judged are no failure. */
  readonly allowUnjudged: boolean;
}

export function isRefused({ failOn }: Gate, one: Pick<VerdictClass, "old" | "new">): boolean {
  return failOn.length === 0 || failOn.some((failure) => isFailure(failure, one));
}

/** Without a gate, what was not judged is told and no failure. */
export function refusesUnjudged({ failOn, allowUnjudged }: Gate): boolean {
  return failOn.length > 0 && !allowUnjudged;
}

export function isFailure(failure: Failure, { old, new: next }: Pick<VerdictClass, "old" | "new">): boolean {
  switch (failure) {
    case "allow-to-deny":
      return old === "allow" && next === "deny";
    case "deny-to-allow":
      return old === "deny" && next === "allow";
    case "unknown":
      return next === "unknown";
  }
}
