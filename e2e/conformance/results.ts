// What a suite of someone else's said, read from its own output: each test with its outcome, and whether the suite as a whole
// came to its end. Upstream's reports are not asked: they count a test that was left out as passed. Invariant: what began
// and has no outcome failed.

export type Outcome = "passed" | "failed" | "skipped";

export interface TestResult {
  /** As the suite calls it; unique in a suite. */
  readonly name: string;
  readonly outcome: Outcome;
  /** Null: it did not end, or the suite does not say. */
  readonly seconds: number | null;
  /** Connections that were judged in all of its steps; of Cyclonus alone. */
  readonly verdicts?: { readonly wrong: number; readonly of: number };
  /** Everything that it wrote, its parts included. */
  readonly output: string;
  /** Subtests that failed, by their names within the test; empty where the suite has none. */
  readonly failedParts: readonly string[];
}

export interface SuiteOutput {
  readonly tests: readonly TestResult[];
  /** Why the suite cannot be believed as a whole, for example that its set-up failed; null: it ended by itself. */
  readonly broken: string | null;
}

/** A test that failed and was run alone again, where that is allowed. */
export interface SuiteTest extends TestResult {
  /** In the order in which they were run; empty: it was not run again. */
  readonly again: readonly TestResult[];
}

export interface Log {
  readonly name: string;
  readonly sha256: string;
}

/** One run of one suite, or of a part of it. */
export interface SuiteRun {
  /** As in suites.ts. */
  readonly suite: string;
  /** When it ended: ISO 8601. */
  readonly when: string;
  readonly seconds: number;
  /** The commit of the program that ran, with "+" behind it where the clone had changes; absent in results from before it was recorded. */
  readonly commit?: string;
  /** Of the program that ran, a checksum (provenance.ts): what was built from other commits may be the same. Absent as above. */
  readonly program?: string;
  /** Of pods, nodes and services: ipv4, ipv6 or dual; absent as above. */
  readonly families?: string;
  /** What runs the pods: agent or real, as in run-settings.ts; absent: agent. */
  readonly cluster?: string;
  /** Which cases of Cyclonus it has (cyclonus-parts.ts); absent: all that were asked for. */
  readonly part?: string;
  /** What the suite printed, and each test that was run again: the name of the file, and the SHA-256 of its bytes; absent as above. */
  readonly logs?: readonly Log[];
  /** Processes of the machine that ran or waited to, at the end. */
  readonly load: number;
  readonly tests: readonly SuiteTest[];
  readonly broken: string | null;
}

/** What became of a test in the end: whether it passed at last, and how often it was run again for that. */
export function verdictOf({ outcome, again }: SuiteTest): Outcome {
  return again.at(-1)?.outcome ?? outcome;
}

/**
 * What is wrong with a run, one line each; empty: everything passed that was expected to run. `expected` null: the suite says
 * itself how many it has to run, and is broken when it ran another number.
 */
export function complaintsOf(
  run: SuiteRun,
  expected: number | null,
  leftOut: ReadonlyMap<string, string>,
): readonly string[] {
  const complaints = run.broken === null ? [] : [`${run.suite}: ${run.broken}`];
  for (const test of run.tests) {
    const verdict = verdictOf(test);
    if (verdict === "failed") complaints.push(`${run.suite}: ${test.name} failed`);
    if (verdict === "skipped" && !leftOut.has(test.name))
      complaints.push(`${run.suite}: ${test.name} was skipped`);
  }
  if (expected !== null && run.tests.length !== expected)
    complaints.push(`${run.suite}: ${run.tests.length} tests instead of ${expected}`);
  return complaints;
}
