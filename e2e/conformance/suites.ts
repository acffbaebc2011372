// What is known of each suite before it runs: whose it is, how many tests it has, and what may be said in excuse of one that
// fails or is not run. Everything else is in its output. Invariant: an excuse names its reason.

import { lostRace } from "./anp-race.ts";
import { cyclonusProgress, parseCyclonus } from "./cyclonus.ts";
import { ginkgoProgress, parseGinkgo } from "./ginkgo.ts";
import { goTestProgress, parseGoTest } from "./go-test.ts";
import type { SuiteName } from "./programs.ts";
import type { Outcome, SuiteOutput, TestResult } from "./results.ts";
import type { SuiteEnd } from "./suite-process.ts";

export interface SuiteFacts {
  /** What it asks about. */
  readonly title: string;
  readonly source: string;
  /** Tests that it has with all features, of Cyclonus by its default. */
  readonly tests: number;
  /** Which tests of it are run again when they fail (mayRunAgain), and why. Null: none. */
  readonly race: string | null;
  /** Tests that cannot run here, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
}

const nothing: ReadonlyMap<string, string> = new Map();

export const suiteFacts: Readonly<Record<SuiteName, SuiteFacts>> = {
  anp: {
    title: "AdminNetworkPolicy and BaselineAdminNetworkPolicy",
    source: "sigs.k8s.io/network-policy-api v0.1.7",
    tests: 24,
    race:
      "its only complaint is of the first connection after a change; the suite tries that at once, " +
      "without waiting for the change to be in force (later releases ask again)",
    leftOut: nothing,
  },
  cnp: {
    title: "ClusterNetworkPolicy",
    source: "sigs.k8s.io/network-policy-api v0.2.0",
    tests: 24,
    race: null,
    leftOut: nothing,
  },
  netpol: {
    title: "NetworkPolicy",
    source: "k8s.io/kubernetes v1.34.4, test/e2e/network/netpol",
    tests: 50,
    race: null,
    leftOut: nothing,
  },
  cyclonus: {
    title: "NetworkPolicy, pairs of pods on all ports against a model of its own",
    source: "github.com/mattfenwick/cyclonus v0.5.6",
    tests: 112,
    race: null,
    leftOut: nothing,
  },
};

/** What a program of a suite said until it ended. `numbers`: of a part of Cyclonus (cyclonus-parts.ts). */
export function outputOf(
  suite: SuiteName,
  { output, top, report, code }: SuiteEnd,
  numbers: readonly number[] | null = null,
): SuiteOutput {
  if (suite === "cyclonus") return parseCyclonus(output, numbers);
  if (suite !== "netpol") return parseGoTest(output, top);
  if (report !== null) return parseGinkgo(report);
  const last = output.trimEnd().split("\n").slice(-3).join("; ");
  return { tests: [], broken: `it ended with ${code ?? "a signal"} and without a report: ${last}` };
}

/** For who watches: from lines of one run to the tests that they end. */
export function progressOf(
  suite: SuiteName,
  numbers: readonly number[] | null = null,
): (line: string) => { name: string; outcome: Outcome } | null {
  if (suite === "cyclonus") return cyclonusProgress(numbers);
  return suite === "netpol" ? ginkgoProgress() : goTestProgress;
}

/** Whether this failure is the race that the suite is known for. */
export function mayRunAgain(suite: SuiteName, { outcome, output }: TestResult): boolean {
  return suiteFacts[suite].race !== null && outcome === "failed" && lostRace(output);
}

/** How many tests a run has to have; null: the suite alone knows how many cases have Cyclonus' tags. */
export function testsOf(suite: SuiteName, only: readonly string[] | null): number | null {
  if (only === null) return suiteFacts[suite].tests;
  return suite === "cyclonus" ? null : only.length;
}
