// The door through which everything is written: a precondition at the head of every transaction does not show in results
// and indexes, and one that fails is told apart from rows that are refused. On the fake and on a real ovsdb-server.

import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { Actual, northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { northbound, northboundOperations } from "../../src/nbdb/rows/schema.ts";
import { ChassisProof } from "../../src/nbdb/write/chassis-proof.ts";
import { removeOwnedRows } from "../../src/nbdb/write/cleanup.ts";
import { NorthboundWriter, PreconditionFailedError } from "../../src/nbdb/write/northbound-writer.ts";
import type { Operation, Session } from "../../src/ovsdb/index.ts";
import { TransactionError, openSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { FakeDatabase } from "../ovsdb/fake.ts";
import { northboundRules } from "../ovsdb/northbound.ts";
import { MemorySource, owners, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import { clearRows } from "../support/ports.ts";

/** A token as a fence would hold it, for want of another column: a number that must still be what it was. */
const tokenIs = (value: number): Operation => ({
  op: "wait",
  table: "NB_Global",
  where: [],
  columns: ["nb_cfg"],
  until: "==",
  rows: [{ nb_cfg: value }],
  timeoutMs: 0,
});
const comment: Operation = { op: "comment", comment: "by the test" };
const set = (name: string) => northboundOperations.insert("Address_Set", { name, addresses: ["10.0.0.1"] });
const raise: Operation = {
  op: "mutate",
  table: "NB_Global",
  where: [],
  mutations: [{ column: "nb_cfg", mutator: "+=", value: 1 }],
};

interface Opened {
  readonly session: Session<Northbound>;
  /** Another client. */
  readonly other: Session<Northbound>;
}

function writes(open: () => Promise<Opened>): void {
  let session: Session<Northbound>;
  let other: Session<Northbound>;

  beforeEach(async () => {
    ({ session, other } = await open());
  });
  afterEach(async () => {
    await session.close();
    await other.close();
  });

  const token = () => [...session.cache.table("NB_Global").entries()][0]?.[1].nb_cfg ?? 0;
  const fenced = () => {
    const held = token();
    return new NorthboundWriter({ session, precondition: () => [comment, tokenIs(held)] });
  };
  const names = async (): Promise<readonly unknown[]> => {
    const [result] = await other.transact([
      { op: "select", table: "Address_Set", where: [], columns: ["name"] },
    ]);
    return (result?.rows ?? []).map((row) => row["name"]).sort();
  };
  const rejection = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );

  test("without a precondition a transaction is what the caller gave", async () => {
    const results = await new NorthboundWriter({ session }).transact([set("a"), comment]);
    expect(results).toHaveLength(2);
    expect(await names()).toEqual(["a"]);
  });

  test("one that holds does not show in the results", async () => {
    const results = await fenced().transact([set("a"), raise]);
    expect(results).toEqual([{ uuid: expect.any(String) }, { count: 1 }]);
    expect(await names()).toEqual(["a"]);
  });

  test("one that fails is no refusal of rows, and nothing is done", async () => {
    const writer = fenced();
    await other.transact([raise]);
    const error = await rejection(writer.transact([set("a")]));
    expect(error).toBeInstanceOf(PreconditionFailedError);
    expect(error).not.toBeInstanceOf(TransactionError);
    expect(error).toMatchObject({ operation: 1, cause: { kind: "timed out", operation: 1 } });
    expect(await names()).toEqual([]);
  });

  test("any error of the head is told as its own, whatever its kind", async () => {
    const broken: Operation = { op: "select", table: "No_Such_Table", where: [] };
    const writer = new NorthboundWriter({ session, precondition: () => [broken] });
    const error = await rejection(writer.transact([set("a")]));
    expect(error).toBeInstanceOf(PreconditionFailedError);
    expect(error).toMatchObject({ operation: 0 });
  });

  test("an operation that is refused has the caller's index", async () => {
    const bad = { op: "insert", table: "ACL", row: { priority: 99_999 } } as const;
    const error = await rejection(fenced().transact([set("a"), bad, set("b")]));
    expect(error).toBeInstanceOf(TransactionError);
    expect(error).toMatchObject({ kind: "constraint violation", operation: 1, isServerTrouble: false });
    expect(await names()).toEqual([]);
  });

  test("a commit that is refused as a whole has no index", async () => {
    const error = await rejection(fenced().transact([set("a"), set("a")]));
    expect(error).toBeInstanceOf(TransactionError);
    expect(error).toMatchObject({ kind: "constraint violation", operation: null });
  });

  test("no operations are no transaction: the precondition is not even asked for", async () => {
    const writer = new NorthboundWriter({
      session,
      precondition: () => {
        throw new Error("asked");
      },
    });
    expect(await writer.transact([])).toEqual([]);
  });

  test("a commit, a proof and a cleanup all meet it; they write when it holds again", async () => {
    let held = token();
    let asked = 0;
    const writer = new NorthboundWriter({
      session,
      precondition: () => {
        asked++;
        return [tokenIs(held)];
      },
    });
    await other.transact([raise]);
    const source = new MemorySource([
      namespace("a"),
      pod("a", "one", { ips: ["10.0.0.1"] }),
      ...[1, 2, 3].map((priority) =>
        anp(`p${priority}`, { priority, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
      ),
    ]);
    const controller = startController(session, source, { families: ["v4"], zone: null, writer });
    await controller.loop.idle();
    expect(asked).toBe(1);
    expect(controller.refused.size).toBe(0);
    expect(controller.settled.size).toBe(0);

    const proof = new ChassisProof({ session, writer, clock: systemClock, patienceMs: 60_000 });
    const proven = new Promise<void>((resolve) => {
      proof.ask({ proven: resolve, late: () => undefined });
    });
    await eventually(() => {
      expect(asked).toBeGreaterThan(1);
    });
    await eventually(() => {
      expect(token()).toBe(held + 1);
    });
    held++;
    await eventually(() => {
      expect(controller.settled.size).toBe(3);
    });
    await eventually(() => {
      expect(token()).toBe(held + 1);
    });
    await other.transact([
      { op: "update", table: "NB_Global", where: [], row: { hv_cfg: token() } },
      { op: "comment", comment: "every chassis has answered" },
    ]);
    await proven;
    proof.stop();
    await controller.stop();

    const actual = new Actual(session.cache, rowOwners(owners));
    expect(await rejection(removeOwnedRows(writer, actual))).toBeInstanceOf(PreconditionFailedError);
    expect(actual.owners().size).toBe(3);
    held = token();
    await removeOwnedRows(writer, actual);
    expect(actual.owners().size).toBe(0);
  });
}

const monitors = northboundMonitors(rowOwners(owners), { chassis: true });

describe("the writer on the fake", () => {
  writes(async () => {
    const database = new FakeDatabase(northbound, northboundRules);
    const session = database.open(monitors);
    const other = database.open({});
    await Promise.all([session.opened(), other.opened()]);
    database.edit([{ op: "insert", table: "NB_Global", row: { nb_cfg: 0 } }]);
    return { session, other };
  });
});

await describeWithOvn("the writer on a real ovsdb-server", () => {
  let ovn: Ovn;
  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
    // Makes the row of NB_Global, as the first program of OVN does.
    await ovn.nbctl("init");
  });
  afterAll(async () => {
    await ovn.stop();
  });
  writes(async () => {
    await clearRows(ovn);
    const open = async () => {
      const session = openSession({ remotes: ovn.nb, database: northbound, monitors });
      await session.opened();
      return session;
    };
    return { session: await open(), other: await open() };
  });
});
