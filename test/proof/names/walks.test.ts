// Answers of DNS come, change, fail and are over while controllers run, end and take over. The walks are others in each run, and the same
// ones with `SEED=`; a failure prints the shortest walk that shows it.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { patience } from "../../support/patience.ts";
import { panel } from "../panel.ts";
import { followNames, namesWalks, newNamesTally } from "./walks.ts";

jest.setTimeout(patience(300_000));

const numRuns = 6 * panel.walks;
const stepsPerWalk = 12;
const tally = newNamesTally();

test(`rows hold what answers say, on ${numRuns} walks`, async () => {
  await fc.assert(
    fc.asyncProperty(namesWalks(stepsPerWalk), (walk) => followNames(walk, tally)),
    { numRuns, seed: panel.seed, includeErrorInReport: true, interruptAfterTimeLimit: patience(240_000) },
  );
});

test("and steps of all kinds were taken, addresses were written, and packets got other verdicts", () => {
  const { steps, judged, turned, edits } = tally;
  const counts = Array.from(steps, ([kind, count]) => `${count} ${kind}`).join(", ");
  process.stderr.write(
    `judged on walks of names: SEED=${panel.seed}, ${numRuns} walks of ${counts}; ${judged} verdicts of rows, ` +
      `${turned} packets turned, ${edits} edits of address sets\n`,
  );
  expect(steps.size).toBe(7);
  expect(judged).toBeGreaterThan(numRuns * stepsPerWalk * 50);
  expect(edits).toBeGreaterThan(numRuns);
  expect(turned).toBeGreaterThan(numRuns);
});
