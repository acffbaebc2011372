// A soak of 45 s on real parts: the machinery works, every kind of fault happens and ends well, and what can be counted
// is right at the end. Memory is not judged: it has not settled by then.

import { expect, test } from "@jest/globals";
import { faults } from "../../soak/run/faults.ts";
import { soak } from "../../soak/run/soak.ts";
import { patience } from "../support/patience.ts";
import { describeWithOvn } from "../support/ovn.ts";

const options = {
  ...{ durationMs: 45_000, faultEveryMs: 500, sampleMs: 500, changesPerSecond: 10, seed: 7 },
};
/** Judged of a long run only. */
const ofLongRuns = /^(heap|resident|open desc|event loop)/;

await describeWithOvn("a short soak", () => {
  test(
    "is sampled, has faults, and ends with the rows of a fresh start",
    async () => {
      const result = await soak(options, () => undefined);
      const { samples, changes, verdicts } = result;
      expect(verdicts.filter(({ what, isGood }) => !isGood && !ofLongRuns.test(what))).toEqual([]);
      // The second form of the takeover differs from the first by its signal alone.
      const happened = new Set(result.faults.map(({ name }) => name));
      for (const { name } of faults.slice(0, -1)) expect(happened).toContain(name);
      expect(changes).toBeGreaterThanOrEqual(400);
      expect(samples.length).toBeGreaterThanOrEqual(20);
      for (const sample of samples) {
        for (const value of Object.values(sample)) if (typeof value === "number") expect(value).not.toBeNaN();
      }
      expect(samples.some(({ isHeld }) => isHeld)).toBe(true);
      const [first, last] = [samples[0], samples.at(-1)];
      // Connections that were cut are gone, and so is whatever a look at the folder opened.
      expect(last?.descriptors).toBeLessThanOrEqual((first?.descriptors ?? 0) + 3);
      // A sample may meet a change that has just come.
      expect(Math.min(...samples.slice(-5).map(({ queueDepth }) => queueDepth))).toBe(0);
      expect(last?.operations).toBeGreaterThan(400);
    },
    patience(300_000),
  );
});
