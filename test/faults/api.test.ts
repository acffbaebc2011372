// Two instances on a real API server that is killed, starved of its store, and cut off again and again.

import { describe, test } from "@jest/globals";
import { apiKinds } from "../../faults/kinds/api.ts";
import { findControlPlane } from "../kube/control-plane.ts";
import { describeFaults } from "./judge.ts";

const plane = await findControlPlane();
if (typeof plane !== "string") {
  await describeFaults(
    "faults of the API server",
    apiKinds.map((kind) => ({ kind, times: 1 })),
  );
} else {
  if (process.env["CI"] === "true") throw new Error(plane);
  process.stderr.write(`SKIPPED: ${plane}\n`);
  describe.skip("faults of the API server", () => {
    // Never run; a skipped group must not be empty.
    test.todo("needs a control plane");
  });
}
