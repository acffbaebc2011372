// What every Backend does, as one suite: run against the Northbound backend on the strict fake and on a real ovsdb-server,
// and against the in-memory backend. It drives real groups and IR policies, and asks the store what is in force.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { changesContract } from "./changes.contract.ts";
import { failuresContract } from "./failures.contract.ts";
import type { Harness } from "./harness.ts";
import { namespacesContract } from "./namespaces.contract.ts";
import { randomContract } from "./random.contract.ts";
import { guard, Stage } from "./stage.ts";
import { valuesContract } from "./values.contract.ts";

export function backendContract(title: string, make: () => Harness | Promise<Harness>): void {
  describe(title, () => {
    let stage: Stage | null = null;
    const current = (): Stage => {
      if (stage === null) throw new Error("the harness is not there yet");
      return stage;
    };
    beforeAll(async () => {
      stage = new Stage(await make());
    });
    afterEach(async () => {
      await current().harness.clear();
    });
    afterAll(async () => {
      await stage?.harness.dispose();
    });

    test("an empty world says nothing", async () => {
      const driver = await current().start();
      expect(await driver.commit()).toEqual({ settled: [], refused: new Map(), interrupted: null });
      expect(current().harness.written()).toBe(0);
    });

    test("holds rows from the first write to the last removal, in every program's eyes", async () => {
      const { harness } = current();
      await harness.connect();
      await harness.plantForeign();
      const first = await current().startWith([guard]);
      expect(first.backend.holdsRows()).toBe(false);
      await current().settle(first);
      expect(first.backend.holdsRows()).toBe(true);
      const second = await current().start();
      expect(second.backend.holdsRows()).toBe(true);
      second.remove(guard.key);
      await current().settle(second);
      expect(second.backend.holdsRows()).toBe(false);
    });

    changesContract(current);
    failuresContract(current);
    valuesContract(current);
    namespacesContract(current);
    randomContract(current);
  });
}
