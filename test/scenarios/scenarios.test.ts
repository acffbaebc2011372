// After every path through every scenario the rows in a real ovsdb-server equal a fresh start's, and one more look at the
// same world writes nothing.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, openNorthbound, startController } from "../support/controller.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { addPorts } from "../support/ports.ts";
import { byOrder } from "../support/ranked-places.ts";
import { pathsOf } from "./expanders.ts";
import { scenarios } from "./scenarios.ts";

await describeWithOvn("every path ends in the rows of a fresh start", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    await addPorts(ovn, scenarios.flatMap((scenario) => scenario.states).flat());
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterAll(async () => {
    await session.close();
    await ovn.stop();
  });

  const inBothForms = scenarios.flatMap((scenario) =>
    namedPortForms.map((namedPorts) => ({ ...scenario, namedPorts })),
  );

  describe.each(inBothForms)(
    "$name, $namedPorts",
    ({ states, families = ["v4"], zone = null, namedPorts }) => {
      test.each(pathsOf(states))("$name", async ({ states: path, deliveries, settles }) => {
        const options = { families, zone, namedPorts };
        const controller = startController(session, new MemorySource(path[0] ?? []), options);
        for (const state of path) {
          controller.source.become(state, deliveries);
          if (settles) await controller.loop.idle();
        }
        await controller.loop.idle();
        const last: readonly WorldObject[] = path.at(-1) ?? [];
        expect(byOrder(actualTables(session.cache))).toEqual(byOrder(freshTables(last, options)));
        const { operations } = session.stats;
        controller.source.become(last);
        await controller.loop.idle();
        expect(session.stats.operations).toBe(operations);
        await controller.stop();
      });
    },
  );
});
