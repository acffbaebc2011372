// Random worlds after one another, on a real ovsdb-server: after each of them the rows equal a fresh start's, one more
// look writes nothing, and no address of a family that is not served gets in. Runs follow one another on one database, so a
// controller also finds what another one left that was told other families, zones and forms.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import type { ObjectKey } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { addPorts } from "../support/ports.ts";
import { byOrder } from "../support/ranked-places.ts";
import { namedPortForms } from "../../src/nbdb/rows/render-mode.ts";
import { anp, banp, podsWith } from "../support/policies.ts";
import { everyPod, world } from "./worlds.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(120_000));

const options = fc.record({
  families: fc.constantFrom(["v4" as const], ["v6" as const], ["v4" as const, "v6" as const]),
  zone: fc.option(fc.constant("node-1")),
  namedPorts: fc.constantFrom(...namedPortForms),
});

const everyone = { namespaces: {} };
const ports = [{ namedPort: "http" }, { namedPort: "dns" }, { namedPort: "none" }];
const apps = podsWith({}, { app: "x" });
/** Rules whose named ports are looked up on many pods, on some, and on those of two peers at once. */
const portPolicies = [
  anp("ports", {
    subject: apps,
    ingress: [{ action: "Allow", from: [everyone], ports }],
    egress: [{ action: "Deny", to: [apps, everyone], ports }],
  }),
  banp({ ingress: [{ action: "Deny", from: [everyone], ports: ports.slice(0, 1) }] }),
];
/** Told one by one, so that nothing but their own change makes the controller look at the policies. */
const facts = world.map((objects) => objects.filter((object) => !("spec" in object)));

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
          // The rows of the run before stand, and the first world may be an empty one.
          const controller = startController(session, new MemorySource(), { ...rendering, allowEmpty: true });
          try {
            for (const objects of worlds) {
              controller.source.become(objects);
              await controller.loop.idle();
              expect(byOrder(actualTables(session.cache))).toEqual(byOrder(freshTables(objects, rendering)));
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
  });

  test("pods, namespaces and nodes alone: each of them ends in the rows of a fresh start", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(facts, { minLength: 2, maxLength: 5 }),
        options,
        async (worlds, rendering) => {
          const controller = startController(session, new MemorySource(portPolicies), rendering);
          const { source, loop } = controller;
          let before: readonly ObjectKey[] = [];
          try {
            for (const objects of worlds) {
              const now = objects.map(keyOf);
              for (const key of before.filter((known) => !now.includes(known))) source.delete(key);
              source.set(...objects);
              before = now;
              await loop.idle();
              expect(actualTables(session.cache)).toEqual(
                freshTables([...portPolicies, ...objects], rendering),
              );
              const { operations } = session.stats;
              source.set(...objects);
              await loop.idle();
              expect(session.stats.operations).toBe(operations);
            }
          } finally {
            await controller.stop();
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
