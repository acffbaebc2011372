// Suites of others judge the program in every run of the tests: one test of each kind of policy, of which `make conformance`
// runs all. And the judges are judged: with nobody at work, with a mistake in the compiler, and with rows for a node that has
// none of the pods, the same test fails where it should, so that its passing says something.

import { join } from "node:path";
import { test } from "@jest/globals";
import { describeWithCluster } from "./conformance/describe.ts";
import { programWith } from "./conformance/mutant-program.ts";
import { suiteNames, type SuiteName } from "./conformance/programs.ts";
import { controlCase, judgedCluster, slow } from "./conformance/suite-judge.ts";

const everyKind = { args: ["--enable-network-policy=true"] };

const cases = [
  controlCase,
  ["anp", "BaselineAdminNetworkPolicyIngressTCP"],
  ["cnp", "CNPAdminTierIngressTCP"],
  [
    "netpol",
    "[sig-network] Netpol NetworkPolicy between server and client should support a 'default-deny-ingress' policy [Feature:NetworkPolicy]",
  ],
] as const satisfies readonly (readonly [SuiteName, string])[];

const [[suite, name]] = cases;

await describeWithCluster("suites of others", suiteNames, () => {
  const { cluster, judge } = judgedCluster({ northgate: everyKind });

  test.each(cases)("%s: %s", (of, one) => judge().passes(of, one), slow);

  test("cyclonus: a policy is deleted", () => judge().isRightOn("delete-policy"), slow);

  test(
    "cyclonus: with the program stopped, connections are wrong",
    () => judge().isWrongWhileStopped("delete-policy"),
    slow,
  );

  test(
    "with the program stopped, it fails where traffic is to be denied",
    () => judge().failsWhileStopped(),
    slow,
  );

  test(
    "with a mistake in the compiler, it fails where traffic is to be denied",
    async () => {
      const command = programWith("no-ports-means-no-port", join(cluster().dir, "mutant"));
      await cluster().runNorthgate({ ...everyKind, command });
      await judge().failsInDenials();
    },
    slow,
  );

  test(
    "with rows for the pods of another node, it fails where traffic is to be denied",
    async () => {
      // No Node has the name: rows that the run before has left would hold all rows back.
      await cluster().runNorthgate({ args: [...everyKind.args, "--zone=node-3", "--allow-empty-zone"] });
      await judge().failsInDenials();
    },
    slow,
  );

  test(
    "and with the program as it is, it passes again",
    async () => {
      await cluster().runNorthgate(everyKind);
      await judge().passes(suite, name);
    },
    slow,
  );
});
