// Calico's policies change while the controller runs: at every commit each packet has the verdict of the world before or of the one after.
// The walks are others in each run, and the same ones with `SEED=`; a failure prints the shortest walk that shows it.

import { expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { patience } from "../../support/patience.ts";
import { panel } from "../panel.ts";
import { calicoChanges } from "./changes.ts";
import { calicoWalks, followCalico, newCalicoTally } from "./walks.ts";

jest.setTimeout(patience(300_000));

const numRuns = 3 * panel.walks;
const stepsPerWalk = 8;

const tally = newCalicoTally();

test(`no packet sees a verdict that neither world gives, on ${numRuns} walks`, async () => {
  await fc.assert(
    fc.asyncProperty(calicoWalks(stepsPerWalk), (walk) => followCalico(walk, tally)),
    { numRuns, seed: panel.seed, includeErrorInReport: true, interruptAfterTimeLimit: patience(240_000) },
  );
});

test("and changes of many kinds wrote rows, and gave packets other verdicts", () => {
  const { changes, transactions, judged, turned } = tally;
  const sum = [...changes.values()].reduce((all, count) => all + count, 0);
  process.stderr.write(
    `judged on the way: SEED=${panel.seed}, ${sum} changes of ${changes.size} kinds of ${Object.keys(calicoChanges).length}, ` +
      `${transactions} transactions, ${judged} verdicts of rows, ${turned} packets turned\n`,
  );
  expect(sum).toBeGreaterThan(numRuns * 2);
  expect(changes.size).toBeGreaterThan(4);
  expect(transactions).toBeGreaterThan(numRuns);
  // At rest a hundred a step, and as many in each state on the way.
  expect(judged).toBeGreaterThan(numRuns * 200);
  expect(turned).toBeGreaterThan(numRuns * 5);
});
