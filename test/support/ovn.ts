// Says whether this machine has an OVN to test with, and one with a dataplane, once a test file. Without one, tests are
// skipped and say so; under CI=true a missing OVN is a failure, so that no pipeline passes by skipping.

import { describe } from "@jest/globals";
import { chassisParts, ChassisMissingError } from "../../tools/sandbox/chassis.ts";
import type { OvnInstall } from "../../tools/sandbox/find-ovn.ts";
import { ovnOrSkip } from "./find.ts";
import { namespacesMissing } from "./netns.ts";
import { skippedGroup } from "./skipped-group.ts";

/** A `describe` for tests on real parts: `await describeWithOvn("…", (install) => { … })` at a test file's top level. */
export async function describeWithOvn(name: string, tests: (install: OvnInstall) => void): Promise<void> {
  describeOrSkip(name, tests, await ovnOrSkip());
}

/** As describeWithOvn, for tests that send packets. */
export async function describeWithDataplane(
  name: string,
  tests: (install: OvnInstall) => void,
): Promise<void> {
  const install = await ovnOrSkip();
  describeOrSkip(name, tests, install !== null && hasDataplane(install) ? install : null);
}

/**
 * As describeWithDataplane, for tests with sockets of the kernel. A machine without the rights for that is allowed even under
 * CI: no other suite needs any, and packets are sent without them too.
 */
export async function describeWithSockets(name: string, tests: (install: OvnInstall) => void): Promise<void> {
  const lacking = namespacesMissing();
  if (lacking === null) {
    await describeWithDataplane(name, tests);
    return;
  }
  process.stderr.write(`SKIPPED: ${name}: ${lacking}\n`);
  describeOrSkip(name, tests, null);
}

function describeOrSkip(
  name: string,
  tests: (install: OvnInstall) => void,
  install: OvnInstall | null,
): void {
  if (install !== null) {
    describe(name, () => {
      tests(install);
    });
    return;
  }
  skippedGroup(name, "needs what is said above");
}

function hasDataplane(install: OvnInstall): boolean {
  try {
    chassisParts(install);
    return true;
  } catch (error) {
    if (!(error instanceof ChassisMissingError) || process.env["CI"] === "true") throw error;
    process.stderr.write(`SKIPPED: ${error.message}\n`);
    return false;
  }
}
