// What only a session over sockets does, against real servers: transports, remotes, servers that die, lag, starve or
// have another schema. Work is counted; no test measures time.

import { readFileSync } from "node:fs";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import {
  openSession,
  operationsFor,
  SchemaMismatchError,
  type SessionOptions,
  type SocketSession,
} from "../../src/ovsdb/index.ts";
import { findOvn } from "../../tools/sandbox/find-ovn.ts";
import { type LogFields, silentLogger } from "../../src/lib/logger.ts";
import { type Northbound, northbound } from "./northbound.ts";
import { Proxy } from "./proxy.ts";
import { freePorts, newFolder, northboundSchema, ovn, Server, startCluster, stopAll } from "./real-server.ts";
import { settled } from "./session.contract.ts";
import { makeCertificates } from "./tls-files.ts";

const { insert, mutate } = operationsFor<Northbound>();
const monitors = {
  Address_Set: {
    indexes: { name: { columns: ["name"] as const, keyOf: (row: { name: string }) => row.name } },
  },
};

(ovn === null ? describe.skip : describe)("the socket session", () => {
  const sessions: SocketSession<Northbound>[] = [];

  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });
  afterAll(stopAll);

  function open(remotes: string, options: Partial<SessionOptions<Northbound>> = {}) {
    const session = openSession<Northbound>({
      remotes,
      database: northbound,
      monitors,
      retry: { initialMs: 5, maxMs: 40 },
      ...options,
    });
    sessions.push(session);
    const events: string[] = [];
    session.subscribe({ ready: () => events.push("ready"), lost: (reason) => events.push(reason) });
    return { session, events };
  }

  test("reaches a server over tcp, passing by the dead ones of a list", async () => {
    const [dead, alive] = await freePorts(2);
    const server = new Server({ listen: [`ptcp:${alive}:127.0.0.1`] });
    const { session } = open(`unix:${server.folder}/none,tcp:127.0.0.1:${dead},tcp:127.0.0.1:${alive}`);
    await session.opened();
    expect(session.stats).toMatchObject({ attempts: 3, fills: 1 });
    await session.transact([insert("Address_Set", { name: "a" })]);
    expect(session.cache.table("Address_Set").size).toBe(1);
  });

  test("says why it cannot connect, and closes while trying", async () => {
    const { session, events } = open("unix:/tmp/ng-nowhere/nb.sock");
    await settled(() => session.failure !== null);
    expect(session.failure?.message).toContain("unix:/tmp/ng-nowhere/nb.sock: connect ENOENT");
    const opened = session.opened();
    await session.close();
    await expect(opened).rejects.toThrow("the session was closed");
    expect(events).toEqual([]);
  });

  test("comes back when its server was killed and started again", async () => {
    const server = new Server();
    const { session, events } = open(server.remote);
    await session.opened();
    await session.transact([insert("Address_Set", { name: "a" })]);
    for (let again = 0; again < 2; again++) {
      server.kill();
      await settled(() => !session.ready);
      server.start();
      await session.opened();
    }
    await session.transact([insert("Address_Set", { name: "b" })]);
    expect(session.cache.table("Address_Set").size).toBe(2);
    expect(events.map((event) => event === "ready")).toEqual([true, false, true, false, true]);
    expect(session.stats).toMatchObject({ fills: 3, updates: 2, rowChanges: 2 });
  });

  test("gives up a connection that is open but dead", async () => {
    const server = new Server();
    const proxy = new Proxy(server.file("sock"), server.file("proxy"));
    await proxy.listen();
    const { session, events } = open(proxy.remote, { probeIntervalMs: 20 });
    await session.opened();
    proxy.starve();
    const sent = session.transact([insert("Address_Set", { name: "a" })]);
    await expect(sent).rejects.toThrow("nothing was heard");
    await session.opened();
    expect(events[1]).toContain("nothing was heard");
    expect(proxy.accepted).toBe(2);
    await proxy.cut();
  });

  test("answers and sends echoes: an idle connection lives", async () => {
    const [port] = await freePorts(1);
    const server = new Server({ listen: [`ptcp:${port}:127.0.0.1`] });
    const { session, events } = open(`tcp:127.0.0.1:${port}`, { probeIntervalMs: 150 });
    await session.opened();
    const sent = session.stats.bytesSent;
    // An echo is 37 bytes or so; a second one is only sent, and the connection kept, when the first was answered.
    await settled(() => session.stats.bytesSent - sent > 100);
    expect(events).toEqual(["ready"]);
    server.kill();
  });

  test("refuses a server without a described column by name, and goes on trying", async () => {
    const schema = northboundSchema();
    delete schema.tables["ACL"]?.columns["tier"];
    const old = new Server({ schema: { ...schema, version: "6.1.0" } });
    const { session, events } = open(old.remote);
    await expect(session.opened()).rejects.toBeInstanceOf(SchemaMismatchError);
    await settled(() => session.stats.attempts > 2);
    expect(events).toEqual(["OVN_Northbound 6.1.0 has no column ACL.tier"]);
  });

  test("tells a wrong database by the databases that the server has, once, and goes on trying", async () => {
    const { sb } = await findOvn().then(({ schemas }) => schemas);
    const schema: unknown = JSON.parse(readFileSync(sb, "utf8"));
    const southbound = new Server({ schema });
    const { session, events } = open(southbound.remote);
    const sentence = "the server has no database OVN_Northbound; it has OVN_Southbound";
    await expect(session.opened()).rejects.toThrow(sentence);
    await settled(() => session.stats.attempts > 2);
    expect(events).toEqual([sentence]);
  });

  test("moves 60 MB each way in one message", async () => {
    const server = new Server();
    // A busy machine's server can be silent for longer than two intervals of the default while it reads 60 MB.
    const { session } = open(server.remote, { probeIntervalMs: 60_000 });
    await session.opened();
    const many = 1_400_000;
    const addresses = Array.from(
      { length: many },
      (_, at) => `2001:0db8:0000:0000:0000:0000:${String(at).padStart(9, "0")}`,
    );
    const [created] = await session.transact([insert("Address_Set", { name: "big", addresses })]);
    const set = session.cache.table("Address_Set").get(created!.uuid!)?.addresses;
    expect(set?.size).toBe(many);
    expect(session.stats.bytesSent).toBeGreaterThan(5.5e7);
    const before = session.stats.bytesReceived;
    await session.transact([
      mutate("Address_Set", created!.uuid!, [
        { column: "addresses", mutator: "insert", value: ["one more"] },
      ]),
    ]);
    expect(set?.has("one more")).toBe(true);
    expect(session.stats.bytesReceived - before).toBeLessThan(1000);
    expect(() => open(server.remote, { maxMessageBytes: 1_000_000 })).not.toThrow();
    await settled(() => sessions[1]?.failure?.message.includes("longer than 1000000 bytes") === true);
  });

  test("speaks TLS, and reads its files anew at each connect", async () => {
    const folder = newFolder();
    const files = makeCertificates(folder);
    const [port] = await freePorts(1);
    const server = new Server({
      listen: [`pssl:${port}:127.0.0.1`],
      args: [
        `--private-key=${folder}/server.key`,
        `--certificate=${folder}/server.pem`,
        `--ca-cert=${folder}/ca.pem`,
      ],
    });
    const remote = `ssl:127.0.0.1:${port}`;
    const { session } = open(remote, { tls: files });
    await session.opened();
    await session.transact([insert("Address_Set", { name: "a" })]);
    expect(session.cache.table("Address_Set").size).toBe(1);

    const misnamed = open(remote, { tls: { ...files, serverName: "nb.example" } }).session;
    await settled(() => misnamed.failure !== null);
    expect(misnamed.failure?.message).toContain("does not match certificate's altnames");
    await open(remote, { tls: { ...files, serverName: null } }).session.opened();
    const bare = open(remote).session;
    await settled(() => bare.failure !== null);
    expect(bare.failure?.message).toContain("needs key, certificate and CA files");

    // A new CA, server and client: the old files would be refused.
    makeCertificates(folder);
    server.kill();
    await settled(() => !session.ready);
    server.start();
    await session.opened();
    expect(session.stats.fills).toBe(2);
  });

  test("follows a cluster whose leader is killed, and asks the next member only for the changes", async () => {
    const members = await startCluster();
    const remotes = members.map((member) => member.remote).join(",");
    const resumed: unknown[] = [];
    const logger = {
      ...silentLogger,
      info: (_: string, fields?: LogFields) => resumed.push(fields?.["resumed"]),
    };
    const { session, events } = open(remotes, { leader: "only", logger });
    await session.opened();
    await session.transact([insert("Address_Set", { name: "a", addresses: ["1"] })]);
    members[0]?.kill();
    await settled(() => !session.ready);
    await session.opened();
    await session.transact([insert("Address_Set", { name: "b" })]);
    expect(session.cache.table("Address_Set").size).toBe(2);
    expect(session.stats).toMatchObject({ fills: 2, rowChanges: 2 });
    expect(events).toHaveLength(3);
    expect(resumed).toEqual([false, true]);
  });
});
