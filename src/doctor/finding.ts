// What one check of an installation found. Any room that knows how to check something makes findings; doctor prints them.

/**
 * - `ok`: it was checked, and nothing is wrong
 * - `fail`: it was checked, and something is wrong
 * - `unknown`: it could not be checked
 * - `skipped`: the settings do not ask for it, or say nothing of where it could be checked
 */
export type FindingState = "ok" | "fail" | "unknown" | "skipped";

export interface Finding {
  /** The name of the check, in words with dashes; a check that looks at several things has one finding for each. */
  readonly check: string;
  readonly state: FindingState;
  /** One sentence without its full stop: what was seen. */
  readonly text: string;
  /** What to do about it, one sentence without its full stop; null: nothing. */
  readonly remedy: string | null;
}

export function ok(check: string, text: string): Finding {
  return { check, state: "ok", text, remedy: null };
}

export function fail(check: string, text: string, remedy: string): Finding {
  return { check, state: "fail", text, remedy };
}

export function unknown(check: string, text: string, remedy: string | null = null): Finding {
  return { check, state: "unknown", text, remedy };
}

/** The same for each of the checks. */
export function skipped(checks: readonly string[], text: string): readonly Finding[] {
  return checks.map((check) => skip(check, text));
}

export function skip(check: string, text: string): Finding {
  return { check, state: "skipped", text, remedy: null };
}
