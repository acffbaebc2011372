// Trouble of the server's is no refusal of rows: nothing is split, no policy is called refused, and all of it lands when the
// server is well again. On the fake server, where a slow moment can be ordered.

import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { NorthboundBackend } from "../../src/nbdb/backend.ts";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import type { CommitOutcome } from "../../src/policy/contracts/backend.ts";
import type { Session, TransactionErrorKind } from "../../src/ovsdb/index.ts";
import { TransactionError, transactionErrorKinds } from "../../src/ovsdb/index.ts";
import type { FakeSession } from "../ovsdb/fake.ts";
import { FakeDatabase } from "../ovsdb/fake.ts";
import { northboundRules } from "../ovsdb/northbound.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, owners, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { anp } from "../support/policies.ts";
import { sessionWith } from "../support/watched-session.ts";

const facts = [namespace("a", { tenant: "a" }), pod("a", "one", { ips: ["10.0.0.1"] })];
const deny = { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] };
const policies = (count: number) =>
  Array.from({ length: count }, (_, at) => anp(`policy-${at}`, { priority: at, ...deny }));

let database: FakeDatabase<Northbound>;
let session: FakeSession<Northbound>;
let controller: TestController | null = null;
const commit = jest.spyOn(NorthboundBackend.prototype, "commit");

beforeEach(async () => {
  commit.mockClear();
  database = new FakeDatabase(northbound, northboundRules);
  session = database.open(northboundMonitors(rowOwners(owners)));
  await session.opened();
});
afterEach(async () => {
  await controller?.stop();
  await session.close();
});

async function start(count: number, through: Session<Northbound> = session): Promise<TestController> {
  const source = new MemorySource([...facts, ...policies(count)]);
  controller = startController(through, source, { families: ["v4"], zone: null });
  await controller.loop.idle();
  return controller;
}

const firstOutcome = () => commit.mock.results[0]?.value as Promise<CommitOutcome>;

describe("sixty policies and a server that times out", () => {
  test("once: that round is one transaction, no policy is refused, and then all settle", async () => {
    database.refuseNext(new TransactionError("timed out", "it was slow", null));
    const { settled, refused } = await start(60);
    expect(database.transactions).toBe(1);
    expect(await firstOutcome()).toEqual({
      settled: [],
      refused: new Map(),
      interrupted: "timed out: it was slow",
    });
    expect(refused.size).toBe(0);
    await eventually(() => {
      expect(settled.size).toBe(60);
    });
    expect(refused.size).toBe(0);
    expect(database.transactions).toBe(2);
  });

  test("for a while: one transaction a round, and no policy is refused", async () => {
    let slow = true;
    let asked = 0;
    const { settled, refused } = await start(
      60,
      sessionWith(session, async (operations) => {
        asked++;
        if (slow) throw new TransactionError("timed out", "it is slow", null);
        return session.transact(operations);
      }),
    );
    expect(asked).toBe(1);
    expect(refused.size).toBe(0);
    slow = false;
    await eventually(() => {
      expect(settled.size).toBe(60);
    });
    expect(refused.size).toBe(0);
    expect(asked).toBe(2);
  });
});

/** What each kind says: something about the server, or about the rows. Exhaustive: a new kind is decided here too. */
const isTrouble: Readonly<Record<TransactionErrorKind | "unknown", boolean>> = {
  canceled: true,
  "cluster error": true,
  "I/O error": true,
  "not allowed": true,
  "not owner": true,
  "resources exhausted": true,
  "timed out": true,
  "unknown database": true,
  aborted: false,
  "constraint violation": false,
  "domain error": false,
  "duplicate uuid": false,
  "duplicate uuid-name": false,
  "internal error": false,
  "not supported": false,
  "ovsdb error": false,
  "permission error": false,
  "range error": false,
  "referential integrity violation": false,
  "syntax error": false,
  "unknown column": false,
  "unknown table": false,
  unknown: false,
};

test.each([...transactionErrorKinds, "unknown" as const])("%s", async (kind) => {
  // The batch of two, and the first of its halves.
  for (let at = 0; at < 2; at++) database.refuseNext(new TransactionError(kind, "", null));
  const { refused } = await start(2);
  const outcome = await firstOutcome();
  expect(outcome.interrupted).toBe(isTrouble[kind] ? kind : null);
  expect([...outcome.refused.keys()]).toEqual(
    isTrouble[kind] ? [] : ["AdminNetworkPolicy.policy.networking.k8s.io/policy-0"],
  );
  expect(refused.size).toBe(isTrouble[kind] ? 0 : 1);
  expect(database.transactions).toBe(isTrouble[kind] ? 1 : 3);
});
