// What may happen to a connection or a database while the loop has work, on real ovsdb-servers: after each fault the rows
// are those of a fresh start, none of them twice, and a reconnect to what did not change writes nothing.

import { copyFileSync, rmSync } from "node:fs";
import { afterAll, afterEach, expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import { Proxy } from "../ovsdb/proxy.ts";
import { freePorts, Server, startCluster, stopAll } from "../ovsdb/real-server.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { freshTables, MemorySource, openNorthbound, startController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp, namespacesWith } from "../support/policies.ts";

const options = { families: ["v4" as const], zone: null };
const patience = { retry: { initialMs: 5, maxMs: 100 }, probeIntervalMs: 250, leader: "first" as const };
const deny = { action: "Deny", from: [{ namespaces: {} }] };
const world: readonly WorldObject[] = [
  namespace("a", { tenant: "a" }),
  namespace("b", { tenant: "b" }),
  pod("a", "one", { ips: ["10.0.0.1"], labels: { app: "x" } }),
  pod("a", "two", { ips: ["10.0.0.2"], labels: { app: "y" } }),
  pod("b", "one", { ips: ["10.0.0.3"], labels: { app: "x" } }),
  anp("first", { subject: namespacesWith({ tenant: "a" }), ingress: [deny] }),
  banp({ ingress: [deny] }),
];
/** What comes while the fault lasts: rows to insert, and others to change. */
const more: readonly WorldObject[] = [
  pod("b", "two", { ips: ["10.0.0.4"], labels: { app: "y" } }),
  anp("second", {
    priority: 7,
    ingress: [{ action: "Allow", from: [namespacesWith({ tenant: "b" })] }, deny],
  }),
];
const all = [...world, ...more];

await describeWithOvn("the loop, when its database", () => {
  let session: SocketSession<Northbound> | null = null;
  let controller: TestController | null = null;
  const proxies: Proxy[] = [];

  afterEach(async () => {
    // The session first: it may be waiting for an answer.
    await session?.close();
    await controller?.stop();
    for (const proxy of proxies.splice(0)) await proxy.cut();
    stopAll();
  });
  afterAll(stopAll);

  async function start(remotes: string, direct = remotes) {
    await addPorts(direct);
    session = openNorthbound(remotes, patience);
    await session.opened();
    controller = startController(session, new MemorySource(world), options);
    await expectRows(direct, world);
    return { session, source: controller.source, loop: controller.loop };
  }

  /** The ports of all pods. */
  async function addPorts(remotes: string): Promise<void> {
    const other = openNorthbound(remotes, patience);
    await other.opened();
    const names = ["a_one", "a_two", "b_one", "b_two"];
    const ports = names.map((name): Operation => ({
      op: "insert",
      table: "Logical_Switch_Port",
      uuidName: name,
      row: { name },
    }));
    const row = { name: "sw", ports: names.map((named) => ({ named })) };
    await other.transact([...ports, { op: "insert", table: "Logical_Switch", row }]);
    await other.close();
  }

  /** What another client reads. */
  async function expectRows(remotes: string, objects: readonly WorldObject[]): Promise<void> {
    const wanted = freshTables(objects, options);
    const other = openNorthbound(remotes, patience);
    try {
      await eventually(() => {
        expect(other.ready).toBe(true);
        expect(actualTables(other.cache)).toEqual(wanted);
      }, 30_000);
    } finally {
      await other.close();
    }
  }

  /** Ends the connection by `disturb`; the next one finds everything as it is to be. */
  async function expectNothingWritten(disturb: () => void | Promise<void>): Promise<void> {
    await eventually(() => {
      expect(session?.ready).toBe(true);
    }, 30_000);
    await controller?.loop.idle();
    const { operations, fills } = session!.stats;
    await disturb();
    await eventually(() => {
      expect(session?.ready === true && session.stats.fills > fills).toBe(true);
    }, 30_000);
    await controller?.loop.idle();
    expect(session!.stats.operations).toBe(operations);
  }

  test("is restored from a backup, and then is wiped, has the present rows again", async () => {
    const server = new Server();
    const { source } = await start(server.remote);
    server.kill();
    copyFileSync(server.file("db"), server.file("backup"));
    server.start();
    source.set(...more);
    await expectRows(server.remote, all);
    server.kill();
    copyFileSync(server.file("backup"), server.file("db"));
    server.start();
    await expectRows(server.remote, all);
    await expectNothingWritten(() => {
      server.kill();
      server.start();
    });

    server.kill();
    rmSync(server.file("db"));
    const wiped = new Server({ folder: server.folder });
    await addPorts(wiped.remote);
    await expectRows(wiped.remote, all);
    await expectNothingWritten(() => {
      wiped.kill();
      wiped.start();
    });
  });

  test("is cut off without a word, as half-open TCP is, is connected to again", async () => {
    const server = new Server();
    const [port = 0] = await freePorts(1);
    const proxy = new Proxy(server.file("sock"), port);
    proxies.push(proxy);
    await proxy.listen();
    const { source } = await start(proxy.remote, server.remote);
    proxy.starve();
    source.set(...more);
    await expectRows(server.remote, all);
    expect(proxy.accepted).toBe(2);
    await expectNothingWritten(async () => {
      await proxy.cut();
      await proxy.listen();
    });
  });

  test("is paused with a transaction on its way, and goes on, has each row once", async () => {
    const server = new Server();
    const { session: of, source } = await start(server.remote);
    const { transactions } = of.stats;
    server.signal("SIGSTOP");
    source.set(...more);
    await eventually(() => {
      expect(of.stats.transactions).toBe(transactions + 1);
      expect(of.ready).toBe(false);
    }, 30_000);
    server.signal("SIGCONT");
    await expectRows(server.remote, all);
    await expectNothingWritten(() => {
      server.kill();
      server.start();
    });
  });

  test("has no quorum while a transaction is on its way, has each row once when it has one", async () => {
    const members = await startCluster();
    const remotes = members.map(({ remote }) => remote).join(",");
    const { session: of, source } = await start(remotes);
    const leader = members.find((member) =>
      /^Role: leader$/m.test(member.control("cluster/status", "OVN_Northbound")),
    );
    const others = members.filter((member) => member !== leader);
    const { transactions } = of.stats;
    for (const member of others) member.kill();
    source.set(...more);
    await eventually(() => {
      expect(of.stats.transactions).toBe(transactions + 1);
      expect(of.ready).toBe(false);
    }, 30_000);
    for (const member of others) member.start();
    await expectRows(remotes, all);
    await expectNothingWritten(() => {
      for (const member of members) member.kill();
      for (const member of members) member.start();
    });
  });
});
