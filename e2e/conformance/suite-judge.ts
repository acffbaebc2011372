// One test of a suite at a time, on a cluster of a test: whether it passes, and whether it fails where traffic is to be denied.

import { mkdtempSync, rmSync } from "node:fs";
import { expect } from "@jest/globals";
import type { Cluster } from "./cluster.ts";
import type { SuiteName } from "./programs.ts";
import type { TestResult } from "./results.ts";
import { runSuite } from "./suite-process.ts";
import { outputOf, suiteFacts } from "./suites.ts";

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
    for (
      let again = 0;
      again < mostAgain && suiteFacts[of].race !== null && found.outcome === "failed";
      again++
    )
      found = await this.#outcome(of, one);
    expect([found.outcome, found.outcome === "passed" ? "" : found.output]).toEqual(["passed", ""]);
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
