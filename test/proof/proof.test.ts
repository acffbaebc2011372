// The proof that what rows do to packets is what policies mean: random worlds, each with its own packets, each packet judged
// by the meaning of the policies and by OVN. A failure prints its seed and the smallest world that shows it.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { describeWithOvn } from "../support/ovn.ts";
import { Laboratory } from "./laboratory.ts";
import { proofWorld } from "./worlds.ts";

const worlds = Number(process.env["WORLDS"] ?? 220);

await describeWithOvn("rows do to packets what policies mean", () => {
  let laboratory: Laboratory;

  beforeAll(async () => {
    laboratory = await Laboratory.open();
  });
  afterAll(async () => {
    await laboratory.close();
  });

  test(`in ${worlds} random worlds`, async () => {
    await fc.assert(
      fc.asyncProperty(proofWorld, (world) => laboratory.prove(world)),
      { numRuns: worlds },
    );
    const { tally } = laboratory;
    process.stderr.write(`${JSON.stringify(tally)}\n`);
    expect(tally.packets).toBeGreaterThanOrEqual(worlds * 100);
    // A proof over packets that meet no rule would prove nothing.
    expect(tally.ruled / tally.packets).toBeGreaterThan(0.5);
    expect(tally.dropped / tally.packets).toBeGreaterThan(0.2);
  }, 240_000);

  test("and OVN has no complaint about any expression", () => {
    expect(laboratory.complaints()).toEqual([]);
  });
});
