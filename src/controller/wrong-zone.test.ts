// Rows are held back exactly while the zone is wrong and rows exist; each edge is logged once.

import { expect, test } from "@jest/globals";
import { LineLogger } from "../../test/support/scripted-api.ts";
import type { Unenforced } from "../policy/contracts/unenforced.ts";
import { WrongZone } from "./wrong-zone.ts";

const fault: Unenforced = { reason: "NoNodeOfZone", message: "no Node has that name" };

test.each<[Unenforced | null, boolean, boolean]>([
  [null, false, false],
  [null, true, false],
  [fault, false, false],
  [fault, true, true],
])("with the fault %j and rows: %p, rows are held back: %p", (found, holdsRows, isHeld) => {
  const guard = new WrongZone({
    ...{ backend: { holdsRows: () => holdsRows }, fault: () => found, logger: new LineLogger() },
  });
  expect([guard.reason !== null, guard.holdsBack()]).toEqual([isHeld, isHeld ? fault : null]);
});

test("each edge is logged once, and the reason is of the moment of the question", () => {
  const logger = new LineLogger();
  let found: Unenforced | null = null;
  const guard = new WrongZone({ backend: { holdsRows: () => true }, fault: () => found, logger });
  guard.holdsBack();
  found = fault;
  expect(guard.reason).toBe(
    "no Node has that name: nothing is written (--allow-empty-zone writes for that zone)",
  );
  guard.holdsBack();
  guard.holdsBack();
  found = null;
  expect(guard.reason).toBeNull();
  guard.holdsBack();
  guard.holdsBack();
  expect(logger.lines.map((line) => line.text)).toEqual([
    "the zone is wrong and rows exist: nothing is written until it is right",
    "the zone is right again: rows are written",
  ]);
});
