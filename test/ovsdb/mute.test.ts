// Servers that take connections and answer echoes, and nothing else from some step on: the session leaves them for the next
// remote, and warns of a transaction. The limits here are short; test/ovsdb/limits.test.ts has the product's.

import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import type { LogFields } from "../../src/lib/logger.ts";
import { silentLogger } from "../../src/lib/logger.ts";
import { ConnectionLostError, openSession, type SocketSession } from "../../src/ovsdb/index.ts";
import { stopAll } from "./real-server.ts";
import { description } from "./scripted-schema.ts";
import { type Call, ScriptedServer, wellBehaved } from "./scripted-server.ts";
import { settled } from "./session.contract.ts";

const add = { op: "insert", table: "T", row: { n: 2 } } as const;

describe("a session whose server is mute", () => {
  const servers: ScriptedServer[] = [];
  const sessions: SocketSession<typeof description>[] = [];
  const stops: (() => void)[] = [];
  const warnings: (readonly [string, LogFields])[] = [];

  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
    for (const server of servers.splice(0)) server.close();
    for (const stop of stops.splice(0)) stop();
    warnings.length = 0;
  });
  afterAll(stopAll);

  async function serve(isMute: (call: Call) => boolean): Promise<ScriptedServer> {
    const server = await ScriptedServer.open((call, connection, socket) =>
      call.method !== "echo" && isMute(call) ? null : wellBehaved(call, connection, socket),
    );
    servers.push(server);
    // As the server of an idle client: it asks whether that lives.
    const beat = setInterval(() => {
      for (const socket of server.sockets) socket.write('{"id":"echo","method":"echo","params":[]}');
    }, 20);
    stops.push(() => {
      clearInterval(beat);
    });
    return server;
  }

  function open(remotes: readonly ScriptedServer[], answerTimeoutMs = 300) {
    const session = openSession({
      remotes: remotes.map(({ remote }) => remote).join(","),
      database: description,
      monitors: { T: {} },
      retry: { initialMs: 2, maxMs: 10 },
      answerTimeoutMs,
      logger: {
        ...silentLogger,
        warn: (message, fields = {}) => warnings.push([message, fields]),
      },
    });
    sessions.push(session);
    return session;
  }

  test.each([
    ["from the beginning", () => true, "monitor_cond was not answered within"],
    ["at the schema", ({ method }: Call) => method === "get_schema", "get_schema was not answered within"],
    [
      "at the rows",
      ({ method, params }: Call) => method.startsWith("monitor") && params[0] !== "_Server",
      "monitor_cond_since was not answered within",
    ],
  ])("%s uses the next remote", async (_title, isMute, reason) => {
    const mute = await serve(isMute);
    const good = await serve(() => false);
    const session = open([mute, good]);
    await session.opened();
    expect(session.stats).toMatchObject({ attempts: 2, fills: 1 });
    expect(warnings).toEqual([
      [
        "the database connection failed",
        expect.objectContaining({ reason: expect.stringContaining(reason) }),
      ],
    ]);
  });

  test("to a transaction warns, gives the outcome up as unknown and uses the next remote", async () => {
    const mute = await serve(({ method }) => method === "transact");
    const good = await serve(() => false);
    const session = open([mute, good]);
    await session.opened();
    const error: unknown = await session.transact([add, add]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionLostError);
    await session.opened();
    expect(warnings).toEqual([
      [
        "a transaction was not answered: its outcome is unknown, and the connection is closed",
        { milliseconds: expect.any(Number), operations: 2 },
      ],
      [
        "the database connection failed",
        expect.objectContaining({ reason: expect.stringContaining("transact was not answered within") }),
      ],
    ]);
    // It is not repeated.
    expect(
      [mute, good].flatMap(({ calls }) => calls.flat()).filter((name) => name === "transact"),
    ).toHaveLength(1);
  });

  test("to a transaction that waits by itself is given the time that the transaction asks for", async () => {
    const mute = await serve(({ method }) => method === "transact");
    const session = open([mute], 20);
    await session.opened();
    const wait = {
      op: "wait",
      table: "T",
      where: [],
      columns: ["n"],
      until: "==",
      rows: [],
      timeoutMs: 700,
    } as const;
    await expect(session.transact([wait])).rejects.toBeInstanceOf(ConnectionLostError);
    expect(warnings[0]?.[1]["milliseconds"]).toBeGreaterThanOrEqual(700);
  });

  test("to a transaction can be closed at once", async () => {
    const mute = await serve(({ method }) => method === "transact");
    const session = open([mute], 60_000);
    await session.opened();
    const sent = session.transact([add]);
    await settled(() => mute.calls.flat().includes("transact"));
    await session.close();
    await expect(sent).rejects.toThrow("the session was closed");
  });

  test("but slowly sends a large dump is waited for", async () => {
    const slow = await ScriptedServer.open((call, connection, socket) => {
      const reply = wellBehaved(call, connection, socket);
      if (reply === null || call.method !== "monitor_cond" || call.params[0] === "_Server") return reply;
      // Twelve pieces, one each 60 ms: longer than the limit, and never silent for as long.
      const size = Math.ceil(reply.length / 12);
      const texts = Array.from({ length: 12 }, (_, at) => reply.slice(at * size, (at + 1) * size));
      for (const [at, text] of texts.entries()) setTimeout(() => socket.write(text), 60 * at);
      return null;
    });
    servers.push(slow);
    const other = await serve(() => true);
    const session = open([slow, other]);
    await session.opened();
    expect(session.stats.attempts).toBe(1);
  });
});
