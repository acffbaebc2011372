// The short form of `make soak W=replicas`: two replicas on thousands of policies, with edits all the time. The writer is the
// same to the end. At 8,000 NetworkPolicies a turn of the event loop once took longer than a claim lasts, and the two passed
// the claim to and fro for ever.

import { expect, test } from "@jest/globals";
import { replicas } from "../../soak/run/replicas.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { patience } from "../support/patience.ts";

await describeWithOvn("two replicas on thousands of policies", () => {
  test(
    "have one writer, and every edit is written",
    async () => {
      const options = {
        policies: 9_600,
        durationMs: 30_000,
        editEveryMs: 500,
        patienceMs: patience(120_000),
      };
      const { writers, edits, complaints, exitCodes } = await replicas(options, () => undefined);
      expect(writers).toHaveLength(1);
      expect(edits).toBeGreaterThan(0);
      expect([complaints, exitCodes]).toEqual([[], [0, 0]]);
    },
    patience(400_000),
  );
});
