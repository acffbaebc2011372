// Suites of others judge the program in every run of the tests: one test of each kind of policy, of which `make conformance`
// runs all. And the judges are judged: with nobody at work the same test fails where it should, so that its passing says something.
// conformance.long.test.ts judges them by mistakes too.

import { test } from "@jest/globals";
import { describeWithCluster } from "./conformance/describe.ts";
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

await describeWithCluster("suites of others", suiteNames, () => {
  const { judge } = judgedCluster({ northgate: everyKind });

  test.each(cases)("%s: %s", (of, one) => judge().passes(of, one), slow);

  test(
    "with the program stopped, it fails where traffic is to be denied",
    () => judge().failsWhileStopped(),
    slow,
  );
});
