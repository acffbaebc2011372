// Says whether this machine has CoreDNS, once a test file: it can be built, and missing it is a failure under CI.

import { skippedGroup } from "../../test/support/skipped-group.ts";
import { isProgram } from "../../tools/sandbox/program.ts";
import { pathOfNodeProgram } from "../cluster/programs.ts";

/** `describing`: what else the tests need, as `describe` and its like say. */
export async function describeWithCoreDns(
  describing: (name: string, tests: () => void) => unknown,
  name: string,
  tests: () => void,
): Promise<void> {
  if (isProgram(pathOfNodeProgram("coredns"))) {
    await describing(name, tests);
    return;
  }
  const lacked = "no CoreDNS: make cluster builds it";
  if (process.env["CI"] === "true") throw new Error(lacked);
  process.stderr.write(`SKIPPED: ${lacked}\n`);
  skippedGroup(name, "needs CoreDNS");
}
