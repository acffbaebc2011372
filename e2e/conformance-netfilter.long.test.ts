// Suites of others judge the packet filter of nodes, on a cluster without OVN: a test passes with the program of each node at work, and
// fails where traffic is to be denied while they are stopped.

import { test } from "@jest/globals";
import { hasNetfilter } from "../test/netfilter/describe.ts";
import { describeWithCluster } from "./conformance/describe.ts";
import { controlCase, judgedCluster, slow } from "./conformance/suite-judge.ts";

const group = "a suite on nodes with iptables";

if (hasNetfilter(group, "nft"))
  await describeWithCluster(group, ["anp"], () => {
    const { judge } = judgedCluster({ backend: "iptables" });

    test("passes", () => judge().passes(...controlCase), slow);

    test(
      "fails where traffic is to be denied while the programs are stopped",
      () => judge().failsWhileStopped(),
      slow,
    );
  });
