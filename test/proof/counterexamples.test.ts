// The named worlds, judged like the random ones: in one database for all nodes, and in a database for each of two nodes. A
// world whose packets no longer meet as many different chains of rules as it was kept for is a failure too.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithDataplane } from "../support/ovn.ts";
import { counterexamples } from "./counterexamples.ts";
import { meaningOf, opinionText } from "./judges.ts";
import { candidates, Laboratory } from "./laboratory.ts";
import { probesOf } from "./packets.ts";

const named = Object.entries(counterexamples);

describe("the packets of each named world meet the chains it was kept for", () => {
  test.each(named)("%s", (_, world) => {
    const meaning = meaningOf(world.objects, { networkPolicies: world.networkPolicies });
    const opinions = probesOf(world, candidates).flatMap(
      ({ connection }) => meaning.opinion(connection) ?? [],
    );
    const ruled = opinions.filter(({ rules }) => rules.length > 0);
    expect(new Set(ruled.map(opinionText)).size).toBeGreaterThanOrEqual(world.chains);
  });
});

await describeWithDataplane("rows do to packets what policies mean", () => {
  describe.each([null, "node-1", "node-2"])("with the zone %s", (zone) => {
    let laboratory: Laboratory;

    beforeAll(async () => {
      laboratory = await Laboratory.open({ zone });
    });
    afterAll(async () => {
      await laboratory.close();
    });

    test.each(named)("%s", async (_, world) => {
      await laboratory.prove(world);
      expect(laboratory.complaints()).toEqual([]);
    });
  });
});
