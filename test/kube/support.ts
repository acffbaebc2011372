// Says whether this machine has a control plane to test with, once a test file. Without one, tests are skipped and say
// so; under CI=true a missing control plane is a failure, so that no pipeline passes by skipping.

import { afterAll, beforeAll, describe } from "@jest/globals";
import { type Assets, type ControlPlane, findControlPlane, startControlPlane } from "./control-plane.ts";
import { patience } from "../support/patience.ts";
import { skippedGroup } from "../support/skipped-group.ts";

/** More than a cold start on a busy machine takes. */
const startMs = patience(120_000);

let found: Promise<Assets | null> | null = null;

/**
 * A `describe` for tests on a real API server: `await describeWithControlPlane("…", (plane) => { … })` at a test file's
 * top level. The tests share one control plane, started before the first and ended after the last; `plane()` is it.
 */
export async function describeWithControlPlane(
  name: string,
  tests: (plane: () => ControlPlane) => void,
): Promise<void> {
  found ??= find();
  const assets = await found;
  if (assets === null) {
    skippedGroup(name, "needs a control plane");
    return;
  }
  describe(name, () => {
    let plane: ControlPlane | null = null;
    beforeAll(async () => {
      plane = await startControlPlane({ assets });
    }, startMs);
    afterAll(async () => {
      await plane?.stop();
    }, startMs);
    tests(() => {
      if (plane === null) throw new Error("the control plane runs only while tests do");
      return plane;
    });
  });
}

async function find(): Promise<Assets | null> {
  const answer = await findControlPlane();
  if (typeof answer !== "string") return answer;
  if (process.env["CI"] === "true") throw new Error(answer);
  process.stderr.write(`SKIPPED: ${answer}\n`);
  return null;
}
