// The helm to test with: the one that e2e/helm/build.sh built into .cache/helm. Without it tests are skipped and say so; under
// CI=true that is a failure, so that no pipeline passes by skipping.

import { fileURLToPath } from "node:url";
import { isProgram } from "../../tools/sandbox/program.ts";
import type { ControlPlane } from "../../test/kube/control-plane.ts";
import { describeWithControlPlane } from "../../test/kube/support.ts";
import { skippedGroup } from "../../test/support/skipped-group.ts";

/** The program's path. */
export const helm = fileURLToPath(new URL("../../.cache/helm/bin/helm", import.meta.url));

export function helmOrSkip(): boolean {
  if (isProgram(helm)) return true;
  const reason = `no ${helm}: run e2e/helm/build.sh, which takes two minutes once`;
  if (process.env["CI"] === "true") throw new Error(reason);
  process.stderr.write(`SKIPPED: ${reason}\n`);
  return false;
}

/** A `describe` for tests on a real API server that need helm. */
export async function describeWithHelm(
  name: string,
  tests: (plane: () => ControlPlane) => void,
): Promise<void> {
  if (helmOrSkip()) await describeWithControlPlane(name, tests);
  else skippedGroup(name, "needs helm");
}
