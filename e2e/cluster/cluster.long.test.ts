// Northgate as a Pod, on nodes with kubelets: as a Deployment with a database over TLS, observed, and with Services and DNS; then as
// docs/install.md has it, a DaemonSet and by Helm too.

import { afterAll, describe } from "@jest/globals";
import { uninstallCentral } from "./install.ts";
import { describeOnStage, slow } from "./on-stage.ts";
import { testDocumented } from "./suites/documented.ts";
import { testObserving } from "./suites/observing.ts";
import { testServices } from "./suites/services.ts";
import { testTls } from "./suites/tls.ts";

describeOnStage("Northgate as a Pod, in all its ways", (stage) => {
  describe("as a Deployment", () => {
    describe("with a database over TLS", () => {
      testTls(stage);
    });
    describe("observed from elsewhere", () => {
      testObserving(() => stage().cluster);
    });
    describe("with Services and DNS", () => {
      testServices(() => stage().cluster);
    });
    afterAll(() => uninstallCentral(stage().cluster), slow);
  });

  describe("as docs/install.md has it", () => {
    testDocumented(() => stage().cluster);
  });
});
