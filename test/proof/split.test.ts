// The same walks with a controller whose transactions are as small as they get, one policy each: a commit that is too large
// for one transaction is written in pieces, or in the order of evaluation where no policy is in force, and between two
// transactions, too, no packet has a verdict that neither world gives.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import { changes } from "./grounds.ts";
import type { Manner, WalkTally } from "./transitions.ts";
import { follow, installed, newTally, walks } from "./transitions.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(150_000));

const numRuns = 15;
/** Kinds of change that concern more than one policy. */
const several = ["everything but places edited", "two policies swap priorities", "pods come and go"];
const fromNone = "policies where there were none";

/** So heavy is no commit of these worlds. */
const never = 1_000_000;

await describeWithOvn("a commit in several transactions", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open({ transactionWeight: 1, orderedWeight: never, installed });
  });
  afterAll(async () => {
    await cluster.close();
  });

  test("gives no packet a verdict that neither world gives", async () => {
    const tally = await followSome(cluster, several, ["edit", "restart"]);
    // Otherwise no commit was split.
    expect(tally.transactions).toBeGreaterThan(tally.steps);
  });
});

await describeWithOvn("a start from nothing in the order of evaluation", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await Cluster.open({ transactionWeight: never, orderedWeight: 1, installed });
  });
  afterAll(async () => {
    await cluster.close();
  });

  test("gives no packet a verdict that neither world gives", async () => {
    const tally = await followSome(cluster, [fromNone], ["edit", "restart"]);
    expect(tally.transactions).toBeGreaterThan(3 * tally.steps);
    expect(tally.turned).toBeGreaterThan(tally.steps);
  });
});

async function followSome(
  cluster: Cluster,
  kinds: readonly string[],
  manners: readonly Manner[],
): Promise<WalkTally> {
  expect(kinds.every((kind) => kind in changes)).toBe(true);
  const tally = newTally();
  const walked = fc.asyncProperty(walks(kinds, manners), (one) => follow(cluster, one, tally));
  await fc.assert(walked, {
    numRuns,
    includeErrorInReport: true,
    interruptAfterTimeLimit: patience(120_000),
  });
  process.stderr.write(`${kinds.join(", ")}: ${JSON.stringify(tally)}\n`);
  return tally;
}
