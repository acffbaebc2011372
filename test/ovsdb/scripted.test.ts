// A session and servers that say what no real one would just now: old servers, liars, other protocols. The server here is
// a script: one answer a method, in RFC 7047's words.

import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { column, openSession, type SocketSession } from "../../src/ovsdb/index.ts";
import { newFolder, stopAll } from "./real-server.ts";
import { settled } from "./session.contract.ts";

const description = { name: "DB", tables: { T: { n: column.one("integer") } } } as const;
const schema = { name: "DB", version: "1.0.0", tables: { T: { columns: { n: { type: "integer" } } } } };
const uuid = "550e8400-e29b-41d4-a716-446655440000";
const rows = (body: unknown) => ({ T: { [uuid]: body } });

type Reply = Record<string, unknown>;
interface Call {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

describe("the socket session and scripted servers", () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  const sessions: SocketSession<typeof description>[] = [];
  const calls: Call[] = [];

  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
    calls.length = 0;
  });
  afterAll(stopAll);

  async function play(script: Record<string, Reply>): Promise<SocketSession<typeof description>> {
    const path = join(newFolder(), "s.sock");
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        const call = JSON.parse(chunk.toString()) as Call;
        calls.push(call);
        if (call.method === undefined) return;
        // No such database: the client has to do without the server's status.
        const ofStatus = call.params?.[0] === "_Server";
        const reply = (ofStatus ? undefined : script[call.method]) ?? { error: "unknown method" };
        socket.write(JSON.stringify({ id: call.id, ...reply }));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.listen(path, resolve);
    });
    const retry = { initialMs: 2, maxMs: 10 };
    const session = openSession({
      remotes: `unix:${path}`,
      database: description,
      monitors: { T: {} },
      retry,
    });
    sessions.push(session);
    return session;
  }

  function say(method: string, ...params: readonly unknown[]): void {
    sockets.at(-1)?.write(JSON.stringify({ id: null, method, params }));
  }

  const cond = {
    get_schema: { result: schema },
    monitor_cond: { result: rows({ initial: { n: 1 } }), error: null },
  };

  test("falls back to monitor_cond, and takes its update2", async () => {
    const session = await play(cond);
    await session.opened();
    expect(calls.map(({ method }) => method)).toEqual([
      "monitor_cond",
      "get_schema",
      "monitor_cond_since",
      "monitor_cond",
    ]);
    say("update2", "rows", rows({ modify: { n: 2 } }));
    await settled(() => session.stats.updates === 2);
    expect([...session.cache.table("T").entries()]).toEqual([[uuid, { n: 2 }]]);
  });

  test("answers the server's echo with its id and params", async () => {
    const session = await play(cond);
    await session.opened();
    sockets.at(-1)?.write('{"id":"echo","method":"echo","params":[1,{"a":null}]}');
    await settled(() => calls.at(-1)?.id === "echo");
    expect(calls.at(-1)).toEqual({ id: "echo", result: [1, { a: null }], error: null });
  });

  test.each([
    [
      "an update that contradicts the cache",
      "update2",
      ["rows", { T: { [uuid]: { insert: {} } } }],
      "inconsistency",
    ],
    ["a cancelled monitor", "monitor_canceled", ["rows"], "cancelled"],
    ["an integer beyond 2^53", "update2", ["rows", { T: { [uuid]: { modify: { n: 2 ** 60 } } } }], "2^53"],
  ])("starts anew after %s", async (_title, method, params, reason) => {
    const session = await play(cond);
    const heard: string[] = [];
    session.subscribe({ lost: (why) => heard.push(why), changed: () => heard.push("changed") });
    await session.opened();
    say(method, ...params);
    await settled(() => session.stats.fills === 2);
    expect(heard).toEqual(["changed", expect.stringContaining(reason)]);
    expect(session.cache.table("T").size).toBe(1);
  });

  test("says so when the other side is no database server", async () => {
    const session = await play({});
    await settled(() => sockets.length > 0);
    sockets[0]?.write("SSH-2.0-OpenSSH_9.2\r\n");
    await settled(() => session.failure !== null);
    expect(session.failure?.message).toMatch(/JSON-RPC|refused/);
  });
});
