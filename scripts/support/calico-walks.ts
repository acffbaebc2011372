// The part of `make proof CALICO=yes` that looks at every commit on the way from world to world: one walk to twenty worlds, without a
// database.

import fc from "fast-check";
import type { Owner } from "../../test/proof/calico/walks.ts";
import { calicoWalks, followCalico, newCalicoTally } from "../../test/proof/calico/walks.ts";

const worldsPerWalk = 20;
const stepsPerWalk = 8;

/** Resolves with whether no packet had a verdict that neither world gives. */
export async function proveCalicoWalks(worlds: number, seed: number, owner: Owner): Promise<boolean> {
  const tally = newCalicoTally();
  const numRuns = Math.ceil(worlds / worldsPerWalk);
  const details = await fc.check(
    fc.asyncProperty(calicoWalks(stepsPerWalk, owner), (walk) => followCalico(walk, tally)),
    { numRuns, seed, includeErrorInReport: true },
  );
  if (details.failed) process.stdout.write(`${fc.defaultReportMessage(details) ?? "failed"}\n`);
  const changes = [...tally.changes.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${details.failed ? "DISAGREED" : "agreed"} on the way: ${numRuns} walks, ${changes} changes, ${tally.transactions} transactions, ` +
      `${tally.judged} verdicts of rows (${tally.turned} packets turned, ${tally.stricter} stricter), seed ${seed}\n`,
  );
  return !details.failed;
}
