// A session and a real RAFT cluster of three: it sits on the leader and follows it, makes do with a follower, and takes a
// cluster that was restored from copies of its files for what it is. No test measures time.

import { copyFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, expect, test } from "@jest/globals";
import { silentLogger } from "../../src/lib/logger.ts";
import {
  openSession,
  operationsFor,
  rowIs,
  type SessionOptions,
  type SocketSession,
} from "../../src/ovsdb/index.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { eventually } from "../support/eventually.ts";
import { type Northbound, northbound } from "./northbound.ts";
import { type Server, startCluster, stopAll } from "./real-server.ts";

const { insert, remove } = operationsFor<Northbound>();

await describeWithOvn("a session on a cluster of three", () => {
  let members: readonly Server[] = [];
  const sessions: SocketSession<Northbound>[] = [];
  const warnings: string[] = [];

  beforeEach(async () => {
    members = await startCluster();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    stopAll();
    warnings.length = 0;
  });
  afterAll(stopAll);

  function open(of: readonly Server[], options: Partial<SessionOptions<Northbound>> = {}) {
    const session = openSession<Northbound>({
      remotes: of.map(({ remote }) => remote).join(","),
      database: northbound,
      monitors: { Address_Set: {} },
      retry: { initialMs: 5, maxMs: 40 },
      leader: "first",
      logger: { ...silentLogger, warn: (message) => warnings.push(message) },
      ...options,
    });
    sessions.push(session);
    return session;
  }
  const status = (member: Server) => member.control("cluster/status", "OVN_Northbound");
  const leads = (member: Server) => /^Role: leader$/m.test(status(member));
  const leader = async (): Promise<Server> => {
    let found: Server | undefined;
    await eventually(() => {
      found = members.find(leads);
      expect(found).toBeDefined();
    }, 30_000);
    return found!;
  };
  /** Sessions other than the members' own. */
  const clients = (member: Server) => Number(/sessions:(\d+)/.exec(member.control("memory/show"))?.[1] ?? 0);
  const names = (session: SocketSession<Northbound>) =>
    [...session.cache.table("Address_Set").entries()].map(([, { name }]) => name).sort();

  test("sits on the leader and follows it through transfers, and no write is lost or done twice", async () => {
    const session = open(members);
    await session.opened();
    const written: string[] = [];
    for (let move = 0; move < 3; move++) {
      const before = await leader();
      expect(members.map(clients)).toEqual(members.map((member) => (member === before ? 1 : 0)));
      const name = `set-${move}`;
      await session.transact([insert("Address_Set", { name })]);
      written.push(name);
      before.control("cluster/failure-test", "transfer-leadership");
      await eventually(() => {
        expect(leads(before)).toBe(false);
      }, 30_000);
      const after = await leader();
      await eventually(() => {
        expect([session.ready, clients(after)]).toEqual([true, 1]);
      }, 30_000);
      expect(names(session)).toEqual(written);
    }
    expect(session.stats).toMatchObject({ fills: 4, transactions: 3, rowChanges: 3 });
  });

  test.each(["leader", "follower"])(
    "a transaction that waits for the one before it may follow it without its answer, on a %s",
    async (role) => {
      const first = await leader();
      const [follower] = members.filter((member) => member !== first);
      const session = open([role === "leader" ? first : follower!]);
      await session.opened();
      for (const name of ["a", "b", "c"]) {
        const [made] = await session.transact([insert("Address_Set", { name })]);
        const isGone = { op: "wait", table: "Address_Set", where: rowIs(made!.uuid!) } as const;
        await Promise.all([
          session.transact([remove("Address_Set", made!.uuid!)]),
          session.transact([
            { ...isGone, columns: ["name"], until: "==", rows: [], timeoutMs: 10_000 },
            insert("Address_Set", { name: `after ${name}` }),
          ]),
        ]);
      }
      expect(names(session)).toEqual(["after a", "after b", "after c"]);
      // The first is not done: neither is what waits for it.
      const [kept] = await session.transact([insert("Address_Set", { name: "kept" })]);
      const stays = { op: "wait", table: "Address_Set", where: rowIs(kept!.uuid!) } as const;
      const waiting = session.transact([
        { ...stays, columns: ["name"], until: "==", rows: [], timeoutMs: 50 },
        insert("Address_Set", { name: "never" }),
      ]);
      await expect(waiting).rejects.toThrow("timed out");
      expect(names(session)).toEqual(["after a", "after b", "after c", "kept"]);
    },
  );

  test("uses a follower when that is the only remote, and stays when another one is elected", async () => {
    const first = await leader();
    const [follower] = members.filter((member) => member !== first);
    const session = open([follower!]);
    await session.opened();
    await session.transact([insert("Address_Set", { name: "a" })]);
    expect(names(session)).toEqual(["a"]);
    first.control("cluster/failure-test", "transfer-leadership");
    await leader();
    await session.transact([insert("Address_Set", { name: "b" })]);
    expect(names(session)).toEqual(["a", "b"]);
    expect(session.stats.fills).toBe(1);
  });

  test("uses a follower when the leader is not among its remotes", async () => {
    const first = await leader();
    const session = open(members.filter((member) => member !== first));
    await eventually(() => {
      expect(session.ready).toBe(true);
    }, 30_000);
    await session.transact([insert("Address_Set", { name: "a" })]);
    expect(names(session)).toEqual(["a"]);
  });

  test.each([3, 1])(
    "takes a cluster whose files were restored for what it is, with %i remotes",
    async (count) => {
      const first = await leader();
      const used = count === 1 ? [first] : members;
      const session = open(used, { behindTimeoutMs: 2000 });
      await session.opened();
      await session.transact([insert("Address_Set", { name: "kept" })]);
      const copy = (member: Server) => member.file("copy");
      restart(() => {
        for (const member of members) copyFileSync(member.file("db"), copy(member));
      });
      await eventually(() => {
        expect([session.ready, session.stats.fills]).toEqual([true, 2]);
      }, 30_000);
      for (const name of ["gone", "gone too", "and this"]) {
        await session.transact([insert("Address_Set", { name })]);
      }
      expect(names(session)).toHaveLength(4);
      restart(() => {
        for (const member of members) copyFileSync(copy(member), member.file("db"));
      });
      await eventually(() => {
        expect(session.failure?.message).toContain("behind what was seen of its cluster");
      }, 30_000);
      await eventually(() => {
        expect([session.ready, session.stats.fills]).toEqual([true, 3]);
      }, 40_000);
      expect(names(session)).toEqual(["kept"]);
      expect(warnings.filter((text) => text.includes("restored from a backup"))).toHaveLength(1);
      await session.transact([insert("Address_Set", { name: "new" })]);
      expect(names(session)).toEqual(["kept", "new"]);
    },
  );

  /** Stops every member, does something to their files, and starts them again. */
  function restart(between: () => void): void {
    for (const member of members) member.kill();
    between();
    for (const member of members) member.start();
  }
});
