// A start on a database without policies of ours, in the order of evaluation, on a real ovsdb-server: what each state holds,
// what is written when the database refuses rows or does not answer, and that a database with rows of ours is written at once.

import { afterEach, expect, test } from "@jest/globals";
import { isNamespace, isPod } from "../../src/model/object.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import type { Operation, Session, SocketSession } from "../../src/ovsdb/index.ts";
import { ConnectionLostError, TransactionError } from "../../src/ovsdb/index.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { actualTables } from "../support/actual-tables.ts";
import { rendering, worldOf } from "../support/budget-world.ts";
import { freshTables, MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { describeMetered } from "../support/describe-metered.ts";
import { eventually } from "../support/eventually.ts";
import type { Server } from "../ovsdb/real-server.ts";
import { startCluster, stopAll } from "../ovsdb/real-server.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { sessionWith, watchedSession } from "../support/watched-session.ts";

const world = worldOf({ replicas: { shop: 40, bank: 5 }, bystanders: 60 });
const rows = freshTables(world, rendering);
const inserts = {
  "insert Address_Set": rows.Address_Set.length,
  "insert ACL": rows.ACL.length,
  "insert Port_Group": rows.Port_Group.length,
};
const orderedWeight = 30;
type Answer = ReturnType<Session<Northbound>["transact"]>;

await describeMetered("a start in order", (meters) => {
  const opened: (() => Promise<void>)[] = [];

  /** A controller whose transactions go through `send`, on an empty database. */
  async function startThrough(
    send: (session: Session<Northbound>, operations: readonly Operation[]) => Answer,
  ) {
    await (await meters().run(world.filter((object) => isPod(object) || isNamespace(object)))).stop();
    const session = openNorthbound(meters().ovn.nb, { probeIntervalMs: 0 });
    await session.opened();
    const watched = sessionWith(session, (operations) => send(session, operations));
    const controller = startController(watched, new MemorySource(world), { ...rendering, orderedWeight });
    opened.push(async () => {
      await controller.stop();
      await session.close();
    });
    await controller.loop.idle();
    return { session, controller };
  }

  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  test("inserts each row once, whole, in many transactions, the first ACLs first", async () => {
    const seen: Tables[] = [];
    const landed = (session: SocketSession<Northbound>) => {
      seen.push(actualTables(session.cache));
    };
    const { start, transactions, session } = await meters().run(world, [], { orderedWeight, landed });
    expect(start.writes).toEqual(inserts);
    expect(transactions.length).toBeGreaterThan(10);
    expect(actualTables(session.cache)).toEqual(rows);
    for (const tables of seen) {
      const last = Math.max(...tables.ACL.map(orderOf));
      const before = rows.ACL.filter((acl) => orderOf(acl) < last);
      expect(tables.ACL).toEqual(expect.arrayContaining(before));
    }
  });

  test("is in order no more once rows of ours are there", async () => {
    await meters().run(worldOf({ replicas: { shop: 40, bank: 5 }, bystanders: 0 }), [], { orderedWeight });
    const { start, session } = await meters().runAgain(world, { orderedWeight });
    expect(start.transactions).toBe(1);
    expect(actualTables(session.cache)).toEqual(rows);
  });

  test("leaves out the policy whose rows the database refuses, and writes the others", async () => {
    const { session, controller } = await startThrough(async (to, operations) => {
      if (mentions(operations, "bank-db")) throw new TransactionError("constraint violation", "no", null);
      return await to.transact(operations);
    });
    expect([...controller.refused.keys()].map(String)).toEqual([expect.stringContaining("bank-db")]);
    const others = world.filter((object) => !("name" in object) || object.name !== "bank-db");
    expect(actualTables(session.cache)).toEqual(freshTables(others, rendering));
  });

  test("goes on where an answer was lost, and each row is there once", async () => {
    let sent = 0;
    const refused: string[] = [];
    const { session } = await startThrough(async (to, operations) => {
      sent++;
      if (sent === 3) throw new ConnectionLostError("cut for a test");
      return await to.transact(operations).catch((error: unknown) => {
        refused.push(String(error));
        throw error;
      });
    });
    await eventually(() => {
      expect(actualTables(session.cache)).toEqual(rows);
    });
    // Those that were under way behind the one that was lost.
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.filter((text) => !text.includes("timed out"))).toEqual([]);
  });
});

await describeWithOvn("a start in order on a cluster of three", () => {
  afterEach(stopAll);

  // A follower is asked for the row before it has heard that the cluster agreed on it.
  test.each([
    ["the leader", "first", 3],
    ["a follower", "any", 1],
  ] as const)("writes all rows through %s", async (_name, leader, count) => {
    const members = await startCluster();
    const leads = (member: Server) =>
      /^Role: leader$/m.test(member.control("cluster/status", "OVN_Northbound"));
    await eventually(() => {
      expect(members.filter(leads)).toHaveLength(1);
    }, 30_000);
    const asked = members.toSorted((a, b) => Number(leads(a)) - Number(leads(b))).slice(0, count);
    const session = openNorthbound(asked.map(({ remote }) => remote).join(","), { leader });
    await session.opened();
    let transactions = 0;
    const counted = watchedSession(session, () => {
      transactions++;
    });
    const controller = startController(counted, new MemorySource(world), { ...rendering, orderedWeight });
    try {
      await controller.loop.idle();
      const { ACL, Address_Set } = actualTables(session.cache);
      expect({ ACL, Address_Set }).toEqual({ ACL: rows.ACL, Address_Set: rows.Address_Set });
      expect(transactions).toBeGreaterThan(10);
      expect(controller.refused.size).toBe(0);
    } finally {
      await controller.stop();
      await session.close();
    }
  });
});

const mentions = (operations: readonly Operation[], name: string): boolean =>
  operations.some(
    (one) =>
      one.op === "insert" &&
      one.row["external_ids"] instanceof Map &&
      [...one.row["external_ids"].values()].includes(name),
  );

function orderOf({ tier, priority }: { readonly tier: number; readonly priority: number }): number {
  return tier * 0x8000 - priority;
}
