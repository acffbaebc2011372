// The findings of all checks of an installation, as a command prints them, and its exit code.

import type { Finding, FindingState } from "./finding.ts";

export interface DoctorReport {
  readonly schema: "northgate.doctor/1";
  readonly version: string;
  /** In the order of the checks. */
  readonly checks: readonly Finding[];
  readonly counts: Readonly<Record<FindingState, number>>;
}

export function reportOf(checks: readonly Finding[], version: string): DoctorReport {
  const count = (state: FindingState) => checks.filter((one) => one.state === state).length;
  return {
    schema: "northgate.doctor/1",
    version,
    checks,
    counts: { ok: count("ok"), fail: count("fail"), unknown: count("unknown"), skipped: count("skipped") },
  };
}

/** 0: all that was checked is well; 1: something failed; 3: nothing failed, and something could not be checked. */
export function exitCodeOf({ counts }: DoctorReport): 0 | 1 | 3 {
  if (counts.fail > 0) return 1;
  return counts.unknown > 0 ? 3 : 0;
}
