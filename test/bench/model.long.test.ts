// The benchmark's judge: the model of what rows must become, event after event, against a fresh rendering of the world at
// that moment, for every event that the benchmark has. What the judge gets wrong would be measured as right.

import { describe, expect, test } from "@jest/globals";
import { scenarios } from "../../bench/events/catalogue.ts";
import { operationsOf } from "../../bench/floor/operations.ts";
import { sameImage } from "../../bench/observer/image.ts";
import { imageOf } from "../../bench/observer/rows.ts";
import { Model } from "../../bench/observer/model.ts";
import { made, nodeName, objectsOf, worldOf } from "../../bench/workloads/world.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import { keyOf } from "../support/controller.ts";
import { small, smallCalico } from "./support.ts";

const images = (model: Model) => new Map([...model.rows()].map((row) => [row.id, imageOf(row)]));

/** Compared by hand: jest takes seconds over texts as long as these. */
function differing(one: ReturnType<typeof images>, other: ReturnType<typeof images>): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((id) => {
    const [a, b] = [one.get(id), other.get(id)];
    return a === undefined || b === undefined || !sameImage(a, b);
  });
}

describe.each([
  ["central", small, { zone: null, namedPorts: "list" }],
  ["node", small, { zone: nodeName(3), namedPorts: "list" }],
  ["sets", small, { zone: null, namedPorts: "sets" }],
  ["shared", small, { zone: null, namedPorts: "list", addressSets: "shared" }],
  ["of Calico, central", smallCalico, { zone: null, namedPorts: "list", tierLayout: stack }],
] as const)("%s mode", (_mode, workload, rendering) => {
  test.each(Object.keys(scenarios))("after each step of %s the rows are those of a fresh start", (name) => {
    const world = worldOf(workload);
    const objects = new Map(objectsOf(world).map((object) => [keyOf(object), object]));
    const model = new Model(rendering);
    model.apply([...objects.values()].map(made));
    let operations = 0;
    const scene = { workload, world, repetitions: 2, largest: Infinity };
    for (const { changes } of (scenarios[name] ?? []).flatMap((scenario) => [...scenario(scene)])) {
      for (const change of model.apply(changes)) operations += operationsOf(change, model.view).length;
      for (const { key, object } of changes) {
        if (object === null) objects.delete(key);
        else objects.set(key, object);
      }
      const fresh = new Model(rendering);
      fresh.apply([...objects.values()].map(made));
      expect(differing(images(model), images(fresh))).toEqual([]);
    }
    expect(operations).toBeGreaterThan(0);
    expect([...objects.keys()].sort()).toEqual(objectsOf(world).map(keyOf).sort());
  });
});
