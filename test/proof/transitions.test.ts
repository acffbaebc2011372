// Every state that the controller commits on its way between two worlds, judged by OVN: edits of many objects at once and
// restarts of the controller. A failure prints its seed and the shortest walk that shows it.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import type { WalkTally } from "./transitions.ts";
import { follow, walk } from "./transitions.ts";

const walks = 30;

await describeWithOvn("no packet sees a verdict that neither world gives", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open();
  });
  afterAll(async () => {
    await cluster.close();
  });

  test(`on ${walks} random walks`, async () => {
    const tally: WalkTally = { steps: 0, transactions: 0, packets: 0 };
    await fc.assert(
      fc.asyncProperty(walk, (one) => follow(cluster, one, tally)),
      { numRuns: walks, includeErrorInReport: true },
    );
    process.stderr.write(
      `judged on the way: ${tally.steps} steps, ${tally.transactions} transactions, ${tally.packets} packets
`,
    );
    expect(tally.transactions).toBeGreaterThanOrEqual(walks);
    expect(cluster.complaints()).toEqual([]);
  }, 240_000);
});
