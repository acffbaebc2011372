// Calico's policies change while the controller runs: at every commit each packet has the verdict of the world before or of the one after.
// The walks are others in each run, and the same ones with `SEED=`; a failure prints the shortest walk that shows it.

import { describe, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { patience } from "../../support/patience.ts";
import { panel } from "../panel.ts";
import { calicoChanges } from "./changes.ts";
import type { CalicoWalkTally, Owner } from "./walks.ts";
import { calicoWalks, followCalico, newCalicoTally } from "./walks.ts";

jest.setTimeout(patience(300_000));

const numRuns = 3 * panel.walks;
const stepsPerWalk = 8;

const owners: readonly { readonly owner: Owner; readonly says: string }[] = [
  { owner: "ours", says: "no packet sees a verdict that neither world gives" },
  {
    owner: "others",
    says: "around another program's NetworkPolicies nothing passes that neither world lets pass",
  },
];

describe.each(owners)("$says", ({ owner }) => {
  const tally = newCalicoTally();

  test(`on ${numRuns} walks`, async () => {
    await fc.assert(
      fc.asyncProperty(calicoWalks(stepsPerWalk, owner), (walk) => followCalico(walk, tally)),
      { numRuns, seed: panel.seed, includeErrorInReport: true, interruptAfterTimeLimit: patience(240_000) },
    );
  });

  test("and changes of many kinds wrote rows, and gave packets other verdicts", () => {
    expectMuch(tally, owner);
  });
});

function expectMuch(
  { changes, transactions, judged, turned, stricter }: CalicoWalkTally,
  owner: Owner,
): void {
  const sum = [...changes.values()].reduce((all, count) => all + count, 0);
  process.stderr.write(
    `judged on the way, NetworkPolicies ${owner}: SEED=${panel.seed}, ${sum} changes of ${changes.size} kinds of ` +
      `${Object.keys(calicoChanges).length}, ${transactions} transactions, ${judged} verdicts of rows (${stricter} stricter), ` +
      `${turned} packets turned\n`,
  );
  expect(sum).toBeGreaterThan(numRuns * 2);
  expect(changes.size).toBeGreaterThan(4);
  expect(transactions).toBeGreaterThan(numRuns);
  // At rest a hundred a step, and as many in each state on the way, but for those in which another program writes too.
  expect(judged).toBeGreaterThan(numRuns * 200);
  expect(turned).toBeGreaterThan(numRuns * 5);
  // Else what is compared would be the others' isolation.
  if (owner === "ours") expect(stricter).toBe(0);
  else expect(stricter / judged).toBeLessThan(0.4);
}
