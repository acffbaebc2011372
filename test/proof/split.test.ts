// The same walks with a controller whose transactions are as small as they get, one policy each: a commit that is too large
// for one transaction is written in pieces, and between two pieces, too, no packet has a verdict that neither world gives.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import { changes } from "./grounds.ts";
import { follow, installed, newTally, walks } from "./transitions.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(150_000));

const numRuns = 15;
/** Kinds of change that concern more than one policy. */
const kinds = ["everything but places edited", "two policies swap priorities", "pods come and go"];

await describeWithOvn("a commit in several transactions", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open({ transactionWeight: 1, installed });
  });
  afterAll(async () => {
    await cluster.close();
  });

  test("gives no packet a verdict that neither world gives", async () => {
    const tally = newTally();
    const walked = fc.asyncProperty(walks(kinds, ["edit", "restart"]), (one) => follow(cluster, one, tally));
    await fc.assert(walked, {
      numRuns,
      includeErrorInReport: true,
      interruptAfterTimeLimit: patience(120_000),
    });
    expect(kinds.every((kind) => kind in changes)).toBe(true);
    // Otherwise no commit was split.
    expect(tally.transactions).toBeGreaterThan(tally.steps);
  });
});
