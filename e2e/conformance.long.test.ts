// The judges that e2e/conformance.test.ts asks are judged: with a mistake in the compiler, and with rows for a node that has none of the
// pods, the same test fails where it should. And Cyclonus, with the program and without it.

import { join } from "node:path";
import { test } from "@jest/globals";
import { describeWithCluster } from "./conformance/describe.ts";
import { programWith } from "./conformance/mutant-program.ts";
import { suiteNames } from "./conformance/programs.ts";
import { controlCase, judgedCluster, slow } from "./conformance/suite-judge.ts";

const everyKind = { args: ["--enable-network-policy=true"] };

const [suite, name] = controlCase;

await describeWithCluster("suites of others, judged", suiteNames, () => {
  const { cluster, judge } = judgedCluster({ northgate: everyKind });

  test("cyclonus: a policy is deleted", () => judge().isRightOn("delete-policy"), slow);

  test(
    "cyclonus: with the program stopped, connections are wrong",
    () => judge().isWrongWhileStopped("delete-policy"),
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
