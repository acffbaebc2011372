// Suites of others judge the program in every run of the tests: one test of each kind of policy, of which `make conformance`
// runs all. And the judges are judged: with nobody at work, with a mistake in the compiler, and with rows for a node that has
// none of the pods, the same test fails where it should, so that its passing says something.

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { patience } from "../test/support/patience.ts";
import { type Cluster, startCluster } from "./conformance/cluster.ts";
import { describeWithCluster } from "./conformance/describe.ts";
import { programWith } from "./conformance/mutant-program.ts";
import { suiteNames, type SuiteName } from "./conformance/programs.ts";
import type { TestResult } from "./conformance/results.ts";
import { runSuite } from "./conformance/suite-process.ts";
import { outputOf, suiteFacts } from "./conformance/suites.ts";

const slow = patience(240_000);
/** Where a suite is known to lose races, as in run.ts. */
const mostAgain = 3;
const everyKind = { args: ["--enable-network-policy=true"] };

const cases = [
  ["anp", "AdminNetworkPolicyIngressTCP"],
  ["anp", "BaselineAdminNetworkPolicyIngressTCP"],
  ["cnp", "CNPAdminTierIngressTCP"],
  [
    "netpol",
    "[sig-network] Netpol NetworkPolicy between server and client should support a 'default-deny-ingress' policy [Feature:NetworkPolicy]",
  ],
] as const satisfies readonly (readonly [SuiteName, string])[];

/** The case of the controls, and those of its parts that deny nothing and so pass without any policy. */
const [suite, name] = cases[0];
const allows = [
  "Should_support_an_'allow-ingress'_policy_for_TCP_protocol;_ensure_rule_ordering_is_respected",
];

await describeWithCluster("suites of others", suiteNames, () => {
  let cluster: Cluster;
  const folder = mkdtempSync("/tmp/ng-suites-");
  let runs = 0;

  beforeAll(async () => {
    cluster = await startCluster({ northgate: everyKind });
  }, slow);
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }, slow);

  async function outcome(of: SuiteName, one: string): Promise<TestResult> {
    const options = { folder, name: `run-${++runs}`, only: [one], timeoutMinutes: 5 };
    const { tests, broken } = outputOf(of, await runSuite(cluster.kubeconfig, of, options));
    expect([broken, tests.filter(({ outcome }) => outcome !== "skipped").map((found) => found.name)]).toEqual(
      [null, [one]],
    );
    const [found] = tests.filter(({ outcome }) => outcome !== "skipped");
    if (found === undefined) throw new Error(`${one} was not run`);
    return found;
  }

  async function passes(of: SuiteName, one: string): Promise<void> {
    let found = await outcome(of, one);
    for (
      let again = 0;
      again < mostAgain && suiteFacts[of].race !== null && found.outcome === "failed";
      again++
    )
      found = await outcome(of, one);
    expect([found.outcome, found.outcome === "passed" ? "" : found.output]).toEqual(["passed", ""]);
  }

  async function fails(): Promise<void> {
    const { outcome: end, failedParts, output } = await outcome(suite, name);
    expect(end).toBe("failed");
    expect(output).toContain("Expected connection to fail from");
    expect(failedParts.length).toBeGreaterThan(1);
    for (const part of allows) expect(failedParts).not.toContain(part);
  }

  test.each(cases)("%s: %s", (of, one) => passes(of, one), slow);

  test(
    "with the program stopped, it fails where traffic is to be denied",
    async () => {
      cluster.northgate()?.signal("SIGSTOP");
      try {
        await fails();
      } finally {
        cluster.northgate()?.signal("SIGCONT");
      }
    },
    slow,
  );

  test(
    "with a mistake in the compiler, it fails where traffic is to be denied",
    async () => {
      const command = programWith("no-ports-means-no-port", join(cluster.dir, "mutant"));
      await cluster.runNorthgate({ ...everyKind, command });
      await fails();
    },
    slow,
  );

  test(
    "with rows for the pods of another node, it fails where traffic is to be denied",
    async () => {
      // No Node has the name: rows that the run before has left would hold all rows back.
      await cluster.runNorthgate({ args: [...everyKind.args, "--zone=node-3", "--allow-empty-zone"] });
      await fails();
    },
    slow,
  );

  test(
    "and with the program as it is, it passes again",
    async () => {
      await cluster.runNorthgate(everyKind);
      await passes(suite, name);
    },
    slow,
  );
});
