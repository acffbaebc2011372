// A dialect in three files, from manifests to judged packets, with one line of wiring and nothing else changed: what its
// policies mean, what OVN reads out of its rows, and what a dataplane does with packets. And the same dialect on another
// backend, which knows no OVN.

import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { FactStore } from "../../src/model/fact-store.ts";
import { isApiObject } from "../../src/model/object.ts";
import { loadManifests } from "../../src/informers/index.ts";
import { OfflineModel } from "../../src/offline/model.ts";
import { kindsToRead } from "../../src/policy/contracts/dialect.ts";
import { judge } from "../../src/policy/evaluate.ts";
import { outcomes } from "../../src/policy/ties.ts";
import { judgeByStore } from "../backend/memory-judge.ts";
import { MemoryBackend } from "../backend/memory-backend.ts";
import { MemoryStore } from "../backend/memory-store.ts";
import { compiled } from "../proof/judges.ts";
import { Laboratory } from "../proof/laboratory.ts";
import { probesOf } from "../proof/packets.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { describeWithDataplane } from "../support/ovn.ts";
import { installed, trafficWorld } from "./worlds.ts";
import { patience } from "../support/patience.ts";

jest.setTimeout(patience(600_000));

const manifests = fileURLToPath(new URL("cluster.yaml", import.meta.url));
const { policies: kinds, references } = kindsToRead(installed);

function worldOfManifests(): ProofWorld {
  const { objects, problems } = loadManifests([manifests], kinds, references);
  expect(problems).toEqual([]);
  return { objects, salt: 7, unusual: true };
}

for (const namedPorts of ["list", "sets"] as const) {
  await describeWithDataplane(
    `policies of a kind that is known to no shared code, names as ${namedPorts}`,
    () => {
      let laboratory: Laboratory;

      beforeAll(async () => {
        laboratory = await Laboratory.open({ installed, namedPorts });
        // Rules that log name it; whoever runs ovn-controller's logging creates it.
        await laboratory.ovn.nbctl("meter-add", "acl-logging", "drop", "20", "pktps");
      });
      afterAll(async () => {
        await laboratory.close();
      });

      test("in manifests: a reference, a rule's own subject, an ICMP match and a default deny", async () => {
        await laboratory.prove(worldOfManifests());
        expect(laboratory.tally.dropped).toBeGreaterThan(10);
      });

      test("in random worlds that mix every kind", async () => {
        const numRuns = namedPorts === "list" ? 60 : 15;
        await fc.assert(
          fc.asyncProperty(trafficWorld, (world) => laboratory.prove(world)),
          { numRuns, includeErrorInReport: true },
        );
        const { packets, ruled, dropped } = laboratory.tally;
        process.stderr.write(`judged with a dialect of tests: ${packets} packets, ${ruled} met a rule\n`);
        expect(ruled / packets).toBeGreaterThan(0.4);
        expect(dropped / packets).toBeGreaterThan(0.2);
      });

      test("and OVN has no complaint", () => {
        expect(laboratory.complaints()).toEqual([]);
      });
    },
  );
}

test("on the in-memory backend the verdicts are those of the meaning", async () => {
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(trafficWorld, async (world) => {
      const store = new MemoryStore();
      store.reconnect();
      const model = new OfflineModel({
        ...{ dialects: installed, families: null },
        backend: (membership) => new MemoryBackend({ store, membership, mayExist: () => false }),
      });
      model.observe(world.objects);
      expect(await model.backend.commit()).toMatchObject({ interrupted: null, refused: new Map() });
      const facts = new FactStore();
      for (const object of world.objects) if (!isApiObject(object)) facts.put(object);
      const policies = compiled(world.objects, installed);
      for (const { connection } of probesOf(world, 200)) {
        if (outcomes(connection, facts, policies).verdicts.size > 1) continue;
        expect(judgeByStore(store, connection)).toBe(judge(connection, facts, policies).verdict);
        judged++;
      }
    }),
    { numRuns: 100 },
  );
  expect(judged).toBeGreaterThan(5000);
});
