// Says whether this machine has all the real parts, once a test file. Without an OVN or a control plane, suites are skipped
// and say so; under CI=true that is a failure, so that no pipeline passes by skipping.

import { afterAll, beforeAll, describe } from "@jest/globals";
import { findControlPlane } from "../test/kube/control-plane.ts";
import { ovnOrSkip } from "../test/support/find.ts";
import { Harness, type HarnessOptions } from "./harness.ts";
import { patience } from "../test/support/patience.ts";
import { skippedGroup } from "../test/support/skipped-group.ts";

/** More than a cold start, or a restart of the API server, takes on a busy machine. */
export const slow = patience(120_000);

/** Its tests share one harness, started before the first and ended after the last; `harness()` is it. */
export async function describeEndToEnd(
  name: string,
  options: HarnessOptions,
  tests: (harness: () => Harness) => void,
): Promise<void> {
  if (!(await hasParts())) {
    skippedGroup(name, "needs OVN and a control plane");
    return;
  }
  describe(name, () => {
    let harness: Harness | null = null;
    beforeAll(async () => {
      harness = await Harness.start(options);
    }, slow);
    afterAll(async () => {
      await harness?.stop();
    }, slow);
    tests(() => {
      if (harness === null) throw new Error("there is a harness only while tests run");
      return harness;
    });
  });
}

/** Whether this machine has an OVN and a control plane. */
export async function hasParts(): Promise<boolean> {
  if ((await ovnOrSkip()) === null) return false;
  const answer = await findControlPlane();
  if (typeof answer !== "string") return true;
  if (process.env["CI"] === "true") throw new Error(answer);
  process.stderr.write(`SKIPPED: ${answer}\n`);
  return false;
}
