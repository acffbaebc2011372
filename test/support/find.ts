// Finds the OVN to test with, once a process; runs in and outside of jest. Without one it says SKIPPED and answers null; under
// CI=true a missing OVN throws, so that no pipeline passes by skipping.

import { findOvn, type OvnInstall, OvnMissingError } from "../../tools/sandbox/find-ovn.ts";

let found: Promise<OvnInstall | null> | null = null;

/** The OVN to test with; null when there is none and that is allowed. */
export function ovnOrSkip(): Promise<OvnInstall | null> {
  found ??= find();
  return found;
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
