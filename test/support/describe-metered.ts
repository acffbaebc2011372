// Tests that count what a controller does on a real ovsdb-server: one server for all of them, an empty database for each
// controller, with a port for every pod.

import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { rendering } from "./budget-world.ts";
import { keyOf } from "./controller.ts";
import type { Cost, Metered, MeteredOptions } from "./metered.ts";
import { startMetered } from "./metered.ts";
import { describeWithOvn } from "./ovn.ts";
import { addPorts, clearRows } from "./ports.ts";

export interface Change {
  readonly set?: readonly WorldObject[];
  readonly gone?: readonly WorldObject[];
}

type Options = Omit<MeteredOptions, "families" | "zone">;

export interface Meters {
  readonly ovn: Ovn;
  /** On an empty database, after the end of any other. `newcomers`: pods that come later, whose ports are there already. */
  run(
    objects: readonly WorldObject[],
    newcomers?: readonly WorldObject[],
    options?: Options,
  ): Promise<Metered>;
  /** On the database as any other has left it. */
  runAgain(objects: readonly WorldObject[], options?: Options): Promise<Metered>;
}

export async function describeMetered(name: string, tests: (meters: () => Meters) => void): Promise<void> {
  await describeWithOvn(name, () => {
    let meters: Meters | null = null;
    const running: Metered[] = [];

    /** Two on one database would write against each other. */
    async function stopAll(): Promise<void> {
      for (const metered of running.splice(0)) await metered.stop();
    }

    async function start(ovn: Ovn, objects: readonly WorldObject[], options: Options): Promise<Metered> {
      const metered = await startMetered(ovn, objects, { ...rendering, ...options });
      running.push(metered);
      expect(metered.controller.refused).toEqual(new Map());
      return metered;
    }

    beforeAll(async () => {
      const ovn = await startOvn({ northd: false });
      meters = {
        ovn,
        run: async (objects, newcomers = [], options = {}) => {
          await stopAll();
          await clearRows(ovn);
          await addPorts(ovn, [...objects, ...newcomers]);
          return start(ovn, objects, options);
        },
        runAgain: async (objects, options = {}) => {
          await stopAll();
          return start(ovn, objects, options);
        },
      };
    });
    afterEach(stopAll);
    afterAll(async () => {
      await meters?.ovn.stop();
    });

    tests(() => {
      if (meters === null) throw new Error("asked for before the tests have begun");
      return meters;
    });
  });
}

export function costOfChange(metered: Metered, { set = [], gone = [] }: Change): Promise<Cost> {
  return metered.costOf((source) => {
    source.set(...set);
    for (const object of gone) source.delete(keyOf(object));
  });
}

export function changed(
  world: readonly WorldObject[],
  { set = [], gone = [] }: Change,
): readonly WorldObject[] {
  const replaced = new Set([...set, ...gone].map(keyOf));
  return [...world.filter((object) => !replaced.has(keyOf(object))), ...set];
}
