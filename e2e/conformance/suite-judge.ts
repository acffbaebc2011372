// One test of a suite at a time, on a cluster of a test: whether it passes, and whether it fails where traffic is to be denied.

import { mkdtempSync, rmSync } from "node:fs";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { type Cluster, type ClusterOptions, startCluster } from "./cluster.ts";
import type { SuiteName } from "./programs.ts";
import type { SuiteOutput, TestResult } from "./results.ts";
import { runSuite } from "./suite-process.ts";
import { mayRunAgain, outputOf } from "./suites.ts";

/** Milliseconds for a test of a suite, and for a cluster to start. */
export const slow = patience(240_000);

/** Where a suite is known to lose races, as in run.ts. */
const mostAgain = 3;

/** The case of the controls, and those of its parts that deny nothing and so pass without any policy. */
export const controlCase = ["anp", "AdminNetworkPolicyIngressTCP"] as const;
const allows = [
  "Should_support_an_'allow-ingress'_policy_for_TCP_protocol;_ensure_rule_ordering_is_respected",
];

export class SuiteJudge {
  readonly #cluster: Cluster;
  readonly #folder = mkdtempSync("/tmp/ng-suites-");
  #runs = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async passes(of: SuiteName, one: string): Promise<void> {
    let found = await this.#outcome(of, one);
    for (let again = 0; again < mostAgain && mayRunAgain(of, found); again++)
      found = await this.#outcome(of, one);
    expect([found.outcome, found.outcome === "passed" ? "" : found.output]).toEqual(["passed", ""]);
  }

  /** Of the case of the controls, with every northgate stopped. */
  failsWhileStopped(): Promise<void> {
    return this.#whileStopped(() => this.failsInDenials());
  }

  /** Of Cyclonus' cases with this tag: every connection of every step is right. */
  async isRightOn(tag: string): Promise<void> {
    const { tests, broken } = await this.#cyclonus(tag);
    expect(broken).toBeNull();
    expect(tests.length).toBeGreaterThan(0);
    for (const { outcome, output } of tests)
      expect([outcome, outcome === "passed" ? "" : output]).toEqual(["passed", ""]);
  }

  /** Of the same cases, with every northgate stopped: some connections are wrong, as nothing denies them. */
  isWrongWhileStopped(tag: string): Promise<void> {
    return this.#whileStopped(async () => {
      const { tests, broken } = await this.#cyclonus(tag);
      expect(broken).toBeNull();
      expect(tests.map(({ outcome }) => outcome)).toContain("failed");
      const [wrong, of] = [tests[0]?.verdicts?.wrong ?? 0, tests[0]?.verdicts?.of ?? 0];
      expect(wrong).toBeGreaterThan(0);
      expect(wrong).toBeLessThan(of);
    });
  }

  async #cyclonus(tag: string): Promise<SuiteOutput> {
    const options = { folder: this.#folder, name: `run-${++this.#runs}`, only: [tag] };
    return outputOf("cyclonus", await runSuite(this.#cluster.kubeconfig, "cyclonus", options));
  }

  async #whileStopped(judge: () => Promise<void>): Promise<void> {
    const programs = this.#cluster.northgate();
    for (const one of programs) one.signal("SIGSTOP");
    try {
      await judge();
    } finally {
      for (const one of programs) one.signal("SIGCONT");
    }
  }

  /** Of the case of the controls. */
  async failsInDenials(): Promise<void> {
    const [suite, name] = controlCase;
    const { outcome, failedParts, output } = await this.#outcome(suite, name);
    expect(outcome).toBe("failed");
    expect(output).toContain("Expected connection to fail from");
    expect(failedParts.length).toBeGreaterThan(1);
    for (const part of allows) expect(failedParts).not.toContain(part);
  }

  async #outcome(of: SuiteName, one: string): Promise<TestResult> {
    const options = { folder: this.#folder, name: `run-${++this.#runs}`, only: [one], timeoutMinutes: 5 };
    const { tests, broken } = outputOf(of, await runSuite(this.#cluster.kubeconfig, of, options));
    const run = tests.filter(({ outcome }) => outcome !== "skipped");
    expect([broken, run.map((found) => found.name)]).toEqual([null, [one]]);
    const [found] = run;
    if (found === undefined) throw new Error(`${one} was not run`);
    return found;
  }
}

/** A cluster for the tests of a group, and its judge. */
export function judgedCluster(options: ClusterOptions): {
  readonly cluster: () => Cluster;
  readonly judge: () => SuiteJudge;
} {
  let cluster: Cluster | null = null;
  let judge: SuiteJudge | null = null;
  beforeAll(async () => {
    cluster = await startCluster(options);
    judge = new SuiteJudge(cluster);
  }, slow);
  afterAll(async () => {
    await cluster?.stop();
    judge?.close();
  }, slow);
  return { cluster: () => started(cluster), judge: () => started(judge) };
}

function started<T>(part: T | null): T {
  if (part === null) throw new Error("the cluster was not started");
  return part;
}
