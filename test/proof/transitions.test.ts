// Every state that the controller commits on its way between two worlds, judged by OVN: each kind of change on walks of its
// own, then all kinds over restarts of the controller and over outages of the database at each moment of a transaction. A
// failure prints its seed and the shortest walk that shows it.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import { describeWithOvn } from "../support/ovn.ts";
import { Cluster } from "./cluster.ts";
import { changes, ofAntrea, plain } from "./grounds.ts";
import { panel } from "./panel.ts";
import { antreaChanges } from "./antrea-changes.ts";
import type { Manner, WalkTally } from "./transitions.ts";
import { follow, installed, newTally, outages, stays, walks } from "./transitions.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(150_000));

const walksPerChange = panel.walks;
const walksWithRestarts = 3 * panel.walks;
const walksPerOutage = panel.walks;
const kinds = Object.keys(changes);
const kindsOfAntrea = Object.keys(antreaChanges);

await describeWithOvn("no packet sees a verdict that neither world gives", () => {
  let cluster: Cluster;
  const tallies = new Map<string, WalkTally>();
  const ofTheirs: WalkTally[] = [];

  beforeAll(async () => {
    cluster = await Cluster.open({ installed });
  });
  afterAll(async () => {
    await cluster.close();
    const sum = newTally();
    for (const [name, tally] of [...tallies, ["together", sum] as const]) {
      process.stderr.write(`judged on the way, ${name}: ${text(tally)}\n`);
      if (tally !== sum) for (const key of fields) sum[key] += tally[key];
    }
  });

  async function walkAll(
    name: string,
    among: readonly string[],
    manners: readonly Manner[],
    numRuns: number,
    ground = plain,
  ) {
    const tally = newTally();
    await fc.assert(
      fc.asyncProperty(walks(among, manners, ground), (one) => follow(cluster, one, tally)),
      { numRuns, includeErrorInReport: true, interruptAfterTimeLimit: patience(120_000) },
    );
    tallies.set(name, tally);
    expect(tally.steps).toBeGreaterThanOrEqual(numRuns);
    // Steps without a packet would show nothing.
    expect(tally.packets).toBeGreaterThan(tally.steps * 20);
    return tally;
  }

  test.each(kinds)("%s", async (kind) => {
    await walkAll(kind, [kind], ["edit"], walksPerChange);
  });

  test("all of them while the controller is down", async () => {
    const tally = await walkAll("restarts", kinds, ["restart"], walksWithRestarts);
    expect(tally.transactions).toBeGreaterThan(0);
  });

  test("the form of address sets while the controller is down, and nothing else", async () => {
    const tally = await walkAll("another form", [stays], ["other sets"], walksPerChange);
    expect(tally.transactions).toBeGreaterThan(0);
  });

  test("the form of address sets and all of them while the controller is down", async () => {
    const tally = await walkAll("another form and world", kinds, ["other sets"], walksPerChange);
    expect(tally.transactions).toBeGreaterThan(0);
  });

  test.each(outages)("all of them while the database is killed: %s", async (outage) => {
    await walkAll(`outages, ${outage}`, kinds, [outage], walksPerOutage);
  });

  test.each(kindsOfAntrea)("Antrea's: %s", async (kind) => {
    const tally = await walkAll(`Antrea's, ${kind}`, [kind], ["edit"], walksPerChange, ofAntrea);
    expect(tally.turned).toBeGreaterThan(0);
    ofTheirs.push(tally);
  });

  test("Antrea's, and their pods and namespaces, while the controller or the database is down", async () => {
    const among = Object.keys(ofAntrea.changes);
    const tally = await walkAll(
      "Antrea's, down",
      among,
      ["restart", ...outages],
      walksWithRestarts,
      ofAntrea,
    );
    ofTheirs.push(tally);
  });

  test("and Antrea's changes were written, and handed packets to other rules", () => {
    const sum = (key: keyof WalkTally) => ofTheirs.reduce((all, tally) => all + tally[key], 0);
    expect(sum("transactions")).toBeGreaterThan(kindsOfAntrea.length / 2);
    expect(sum("handedOver")).toBeGreaterThan(0);
  });

  test("and on the way packets went from rule to rule, answers were lost, and OVN had no complaint", () => {
    const all = [...tallies.values()];
    expect(all.reduce((sum, { handedOver }) => sum + handedOver, 0)).toBeGreaterThan(20);
    expect(all.reduce((sum, { found }) => sum + found, 0)).toBeGreaterThan(0);
    expect(cluster.complaints()).toEqual([]);
  });
});

const fields = ["steps", "transactions", "found", "packets", "handedOver", "turned"] as const;

function text({ steps, transactions, found, packets, handedOver, turned }: WalkTally): string {
  const others = found === 0 ? "" : `, ${found} states found`;
  return `${steps} steps, ${transactions} transactions${others}, ${packets} packets, ${handedOver} handed over, ${turned} turned`;
}
