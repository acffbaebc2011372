// Random worlds after one another, on a real ovsdb-server: after each of them the rows equal a fresh start's, one more
// look writes nothing, and no address of a family that is not served gets in.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Northbound } from "../../src/nbdb/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../src/sandbox/ovn.ts";
import { startOvn } from "../../src/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, openNorthbound, startController } from "../support/controller.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { addPorts } from "../support/ports.ts";
import { everyPod, world } from "./worlds.ts";

const options = fc.record({
  families: fc.constantFrom(["v4" as const], ["v6" as const], ["v4" as const, "v6" as const]),
  zone: fc.option(fc.constant("node-1")),
});

await describeWithOvn("random worlds", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await addPorts(ovn, everyPod);
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterAll(async () => {
    await session.close();
    await ovn.stop();
  });

  test("each of them ends in the rows of a fresh start", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(world, { minLength: 1, maxLength: 5 }),
        options,
        async (worlds, rendering) => {
          const controller = startController(session, new MemorySource(), rendering);
          try {
            for (const objects of worlds) {
              controller.source.become(objects);
              await controller.loop.idle();
              expect(actualTables(session.cache)).toEqual(freshTables(objects, rendering));
              const { operations } = session.stats;
              controller.source.become(objects, 2);
              await controller.loop.idle();
              expect(session.stats.operations).toBe(operations);
            }
          } finally {
            await controller.stop();
          }
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);
});
