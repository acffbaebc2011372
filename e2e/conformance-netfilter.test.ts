// Suites of others judge the packet filter of nodes, on a cluster without OVN: a test passes with the program of each node at work, and
// fails where traffic is to be denied while they are stopped.

import { afterAll, beforeAll, test } from "@jest/globals";
import { hasNetfilter } from "../test/netfilter/describe.ts";
import { patience } from "../test/support/patience.ts";
import { type Cluster, startCluster } from "./conformance/cluster.ts";
import { describeWithCluster } from "./conformance/describe.ts";
import { controlCase, SuiteJudge } from "./conformance/suite-judge.ts";

const slow = patience(240_000);

const group = "a suite on nodes with iptables";

if (hasNetfilter(group, "nft"))
  await describeWithCluster(group, ["anp"], () => {
    let cluster: Cluster;
    let judge: SuiteJudge;

    beforeAll(async () => {
      cluster = await startCluster({ backend: "iptables" });
      judge = new SuiteJudge(cluster);
    }, slow);
    afterAll(async () => {
      await cluster.stop();
      judge.close();
    }, slow);

    test("passes", () => judge.passes(...controlCase), slow);

    test(
      "fails where traffic is to be denied while the programs are stopped",
      async () => {
        for (const one of cluster.northgate()) one.signal("SIGSTOP");
        try {
          await judge.failsInDenials();
        } finally {
          for (const one of cluster.northgate()) one.signal("SIGCONT");
        }
      },
      slow,
    );
  });
