// Says whether this machine has what a conformance cluster needs, once a test file. A machine without the rights for it is
// allowed even under CI, as in test/support/ovn.ts; what can be built or fetched is not: missing, it is a failure there.

import { describe, test } from "@jest/globals";
import { findControlPlane } from "../../test/kube/assets.ts";
import { ovnOrSkip } from "../../test/support/find.ts";
import { upstreamOrSkip } from "../../test/support/upstream.ts";
import { missingPrograms, missingRights, type SuiteName } from "./programs.ts";
import { skippedGroup } from "../../test/support/skipped-group.ts";

/** A `describe` for tests on a cluster, and for these suites. */
export async function describeWithCluster(
  name: string,
  suites: readonly SuiteName[],
  tests: () => void,
): Promise<void> {
  const why = missingRights() ?? (await missingParts(suites));
  if (why === null) {
    describe(name, tests);
    return;
  }
  if (why !== "") process.stderr.write(`SKIPPED: ${name}: ${why}\n`);
  skippedGroup(name, "needs what is said above");
}

/** Empty: what is missing was said already. */
async function missingParts(suites: readonly SuiteName[]): Promise<string | null> {
  if ((await ovnOrSkip()) === null || (await upstreamOrSkip()) === null) return "";
  const plane = await findControlPlane();
  const why = typeof plane === "string" ? plane : missingPrograms(suites);
  if (why !== null && process.env["CI"] === "true") throw new Error(why);
  return why;
}

/** A `test` of the programs themselves, which needs no cluster. As they are built for clusters, only root must have them. */
export function testWithPrograms(suites: readonly SuiteName[]): typeof test | typeof test.skip {
  const why = missingPrograms(suites);
  if (why === null) return test;
  if (process.env["CI"] === "true" && process.getuid?.() === 0) throw new Error(why);
  process.stderr.write(`SKIPPED: ${why}\n`);
  return test.skip;
}
