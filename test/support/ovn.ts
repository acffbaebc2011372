// Says whether this machine has an OVN to test with, once a test file. Without one, tests are skipped and say so; under
// CI=true a missing OVN is a failure, so that no pipeline passes by skipping.

import { describe, test } from "@jest/globals";
import { findOvn, type OvnInstall, OvnMissingError } from "../../src/sandbox/find-ovn.ts";

let found: Promise<OvnInstall | null> | null = null;

/** The OVN to test with; null when there is none and that is allowed. */
export function ovnOrSkip(): Promise<OvnInstall | null> {
  found ??= find();
  return found;
}

/** A `describe` for tests on real parts: `await describeWithOvn("…", (install) => { … })` at a test file's top level. */
export async function describeWithOvn(name: string, tests: (install: OvnInstall) => void): Promise<void> {
  const install = await ovnOrSkip();
  if (install !== null) {
    describe(name, () => {
      tests(install);
    });
    return;
  }
  describe.skip(name, () => {
    // Never run; a skipped group must not be empty.
    test.todo("needs OVN");
  });
}

async function find(): Promise<OvnInstall | null> {
  try {
    return await findOvn();
  } catch (error) {
    if (!(error instanceof OvnMissingError) || process.env["CI"] === "true") throw error;
    process.stderr.write(`SKIPPED: ${error.message}\n`);
    return null;
  }
}
