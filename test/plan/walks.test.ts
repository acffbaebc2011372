// A plan along the walks of the proof suite: every pair of worlds that a change of any kind leads from and to, with policies of
// every installed kind, judged twice. A failure prints its seed and the shortest walk that shows it.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { everyDialect } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { noBackend, OfflineModel } from "../../src/offline/model.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import { antreaChanges } from "../proof/antrea-changes.ts";
import { changes, ofAntrea, plain } from "../proof/grounds.ts";
import { walks } from "../proof/transitions.ts";
import { patience } from "../support/patience.ts";
import { tries } from "../support/length.ts";
import { checked } from "./two-judges.ts";

const kinds = [
  ...Object.keys(changes).map((kind) => [kind, plain] as const),
  ...Object.keys(antreaChanges).map((kind) => [kind, ofAntrea] as const),
];
/** PLAN_RUNS=40 asks more. */
const runs = Number(process.env["PLAN_RUNS"] ?? 2);

function worldOf(objects: readonly WorldObject[]): PlanWorld {
  const model = new OfflineModel({
    dialects: everyDialect.dialects,
    families: null,
    backend: () => noBackend,
  });
  model.observe(objects);
  return { facts: model.facts, policies: model.policies() };
}

describe("a plan is exact on every step of a walk", () => {
  let [connections, changed] = [0, 0];

  test.each(kinds)(
    "%s",
    (kind, ground) => {
      fc.assert(
        fc.property(walks([kind], ["edit"], ground), ({ first, steps }) => {
          let old = worldOf(first.objects);
          for (const { objects } of steps) {
            const next = worldOf(objects);
            const result = checked({ old, new: next }, tries(1500, 700));
            connections += result.connections;
            changed += result.changed;
            expect(result.faults.slice(0, 5)).toEqual([]);
            old = next;
          }
        }),
        { numRuns: runs },
      );
    },
    patience(120_000),
  );

  test("and verdicts changed on the way", () => {
    expect(connections).toBeGreaterThan(kinds.length * 250);
    expect(changed).toBeGreaterThan(500);
  });
});
