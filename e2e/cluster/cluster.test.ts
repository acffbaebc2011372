// Northgate as a Pod, on nodes with kubelets: as a Deployment while faults happen to it, and between two nodes. cluster.long.test.ts has
// the rest.

import { describe } from "@jest/globals";
import { describeOnStage } from "./on-stage.ts";
import { testDeployment } from "./suites/deployment.ts";
import { testTunnels } from "./suites/tunnels.ts";

describeOnStage("Northgate as a Pod", (stage) => {
  describe("as a Deployment", () => {
    testDeployment(stage);
  });
  describe("between two nodes", () => {
    testTunnels(() => stage().cluster);
  });
});
