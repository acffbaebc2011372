import { expect, test } from "@jest/globals";
import { silentLogger } from "../../lib/logger.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { UnitSource } from "./committer.ts";
import { Committer } from "./committer.ts";
import { NorthboundWriter } from "./northbound-writer.ts";

const comment: Operation = { op: "comment", comment: "" };

/** Turns of the event loop between planning a unit of so many operations and giving them away. */
async function turnsBeforeSending(operations: number): Promise<number> {
  let turns = 0;
  let planned = Infinity;
  let sent = Infinity;
  const units: UnitSource = {
    plan: () => {
      planned = turns;
      return Array.from({ length: operations }, () => comment);
    },
    sending: () => {
      sent = turns;
    },
    clash: () => null,
    prewrite: () => null,
    moves: () => [],
    exchange: () => ({ gone: [], taking: [] }),
    notWritten: () => undefined,
  };
  const committer = new Committer({
    session: { ready: true },
    writer: new NorthboundWriter({ session: { transact: () => Promise.resolve([]) } }),
    // A clock that stands still: no slice ever ends.
    clock: { now: () => 0, after: () => ({ cancel: () => undefined }) },
    logger: silentLogger,
    units,
  });
  const count = (): void => {
    turns++;
    if (sent === Infinity) setImmediate(count);
  };
  setImmediate(count);
  const ledger = { settled: new Set<UnitKey>(), refused: new Map() };
  expect(await committer.commit(["unit" as UnitKey], ledger)).toBeNull();
  expect(ledger.settled.size).toBe(1);
  return sent - planned;
}

test("a large transaction is given away in another turn than the one that planned it, a small one in the same", async () => {
  expect(await turnsBeforeSending(1000)).toBe(0);
  expect(await turnsBeforeSending(1001)).toBe(1);
});
