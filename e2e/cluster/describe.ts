// Says whether this machine can have a cluster with kubelets, once a test file. A machine without root, cgroups or overlayfs is allowed,
// even under CI, unless REQUIRE=cluster; programs that can be built are not: missing, they are a failure under CI.

import { describe } from "@jest/globals";
import { skippedGroup } from "../../test/support/skipped-group.ts";
import { lackedByMachine, missingPrograms } from "./programs.ts";

/** A `describe` for tests on such a cluster. */
export function describeWithKubelets(name: string, tests: () => void): void {
  const lacked = lackedByMachine();
  const why = lacked ?? missingPrograms();
  if (why === null) {
    describe(name, tests);
    return;
  }
  const isRequired = process.env["REQUIRE"]?.split(",").includes("cluster") === true;
  if (isRequired || (lacked === null && process.env["CI"] === "true")) throw new Error(`${name}: ${why}`);
  process.stderr.write(`SKIPPED: ${name}: ${why}\n`);
  skippedGroup(name, "needs what is said above");
}
