import { expect, test } from "@jest/globals";
import { silentLogger } from "../../lib/logger.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { UnitSource } from "./unit-source.ts";
import { Committer } from "./committer.ts";
import { Ledger } from "./ledger.ts";
import { NorthboundWriter } from "./northbound-writer.ts";

const comment: Operation = { op: "comment", comment: "" };

const noUnits: UnitSource = {
  plan: () => null,
  clash: () => null,
  prewriteWeight: () => 0,
  inOrder: () => null,
  prewrite: () => [],
  moves: () => [],
  exchange: () => ({ gone: [], taking: [] }),
  hasLeaving: () => false,
  planFollowing: () => ({ keys: [], operations: [], guards: [] }),
  sending: () => undefined,
  notWritten: () => undefined,
};

function committerOf(
  units: UnitSource,
  transact: (operations: readonly Operation[]) => Promise<void>,
): Committer {
  return new Committer({
    session: { ready: true },
    writer: new NorthboundWriter({ session: { transact: (all) => transact(all).then(() => []) } }),
    // A clock that stands still: no slice ever ends.
    clock: { now: () => 0, after: () => ({ cancel: () => undefined }) },
    logger: silentLogger,
    units,
  });
}

/** Turns of the event loop between planning a unit of so many operations and giving them away. */
async function turnsBeforeSending(operations: number): Promise<number> {
  let turns = 0;
  let planned = Infinity;
  let sent = Infinity;
  const units: UnitSource = {
    ...noUnits,
    plan: () => {
      planned = turns;
      return Array.from({ length: operations }, () => comment);
    },
    sending: () => {
      sent = turns;
    },
  };
  const committer = committerOf(units, () => Promise.resolve());
  const count = (): void => {
    turns++;
    if (sent === Infinity) setImmediate(count);
  };
  setImmediate(count);
  const ledger = new Ledger(unexpected);
  expect(await committer.commit(["unit" as UnitKey], ledger)).toBeNull();
  expect(ledger.settled.size).toBe(1);
  return sent - planned;
}

function unexpected(unit: UnitKey): never {
  throw new Error(`${unit} was refused`);
}

test("what follows a transaction is sent before that one is answered, with its guards", async () => {
  const sent: (readonly Operation[])[] = [];
  const first = Promise.withResolvers<undefined>();
  const guard: Operation = { op: "comment", comment: "guard" };
  const following: Operation = { op: "comment", comment: "following" };
  const [unit, leaving] = ["unit" as UnitKey, "leaving" as UnitKey];
  const units: UnitSource = {
    ...noUnits,
    plan: () => [comment],
    hasLeaving: () => true,
    planFollowing: (operations) => {
      expect(operations).toEqual([comment]);
      return { keys: [leaving], operations: [following], guards: [guard] };
    },
  };
  const transact = async (operations: readonly Operation[]) => {
    sent.push(operations);
    if (sent.length === 1) await first.promise;
    // Only now is the first answered.
    else first.resolve(undefined);
  };
  const ledger = new Ledger(unexpected);
  expect(await committerOf(units, transact).commit([unit], ledger)).toBeNull();
  expect(sent).toEqual([[comment], [guard, following]]);
  expect(ledger.settled).toEqual(new Set([unit, leaving]));
});

test("a large transaction is given away in another turn than the one that planned it, a small one in the same", async () => {
  expect(await turnsBeforeSending(1000)).toBe(0);
  expect(await turnsBeforeSending(1001)).toBe(1);
});
