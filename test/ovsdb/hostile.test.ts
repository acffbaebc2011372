// What a hostile peer can do to the process: nothing but end its own connection. In a process of its own, because an
// exception that nobody catches ends it, and because its memory is measured.

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { maxNesting } from "../../src/ovsdb/wire/framing.ts";
import { eventually } from "../support/eventually.ts";
import { stopAll } from "./real-server.ts";
import { uuid } from "./scripted-schema.ts";
import { type Call, result, type Script, ScriptedServer, wellBehaved } from "./scripted-server.ts";

type Line = Readonly<Record<string, unknown>>;

const program = fileURLToPath(new URL("hostile-child.ts", import.meta.url));
const megabyte = 1024;

function start(remote: string) {
  const child: ChildProcess = spawn(process.execPath, [program, remote], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  let text = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (errors += chunk));
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const lines = () =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  return {
    child,
    lines,
    reasons: () => lines().flatMap(({ reason }) => (typeof reason === "string" ? [reason] : [])),
    /** The most memory it had, in KiB. Fails when the process ended before it was told to. */
    finish: async (): Promise<number> => {
      child.stdin?.end();
      const code = await exit;
      expect(errors).toBe("");
      expect(code).toBe(0);
      return Number(lines().at(-1)?.["maxRssKb"]);
    },
  };
}

const nestedLists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const nestedObjects = (depth: number) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
/** Says something as soon as the client has its rows. */
const afterFill =
  (text: string): Script =>
  (call, connection, socket) => {
    if (call.method === "transact") {
      socket.write(text);
      return null;
    }
    return wellBehaved(call, connection, socket);
  };
const answering =
  (answer: string): Script =>
  (call, connection, socket) =>
    call.method === "transact"
      ? `{"id":${JSON.stringify(call.id)},"result":${answer},"error":null}`
      : wellBehaved(call, connection, socket);
const refusing =
  (method: string, reply: (call: Call) => string): Script =>
  (call, connection, socket) =>
    call.method === method ? reply(call) : wellBehaved(call, connection, socket);

const deep = `a message is nested deeper than ${maxNesting}`;
const attacks: readonly (readonly [string, Script, string])[] = [
  [
    "echo of lists, 20,000 deep",
    afterFill(`{"id":"e","method":"echo","params":${nestedLists(20_000)}}`),
    deep,
  ],
  ["objects, 100,000 deep", afterFill(nestedObjects(100_000)), deep],
  [
    "an echo just deep enough, and too long",
    afterFill(`{"id":"e","method":"echo","params":["${"\\u0000".repeat(100_000)}"]}`),
    "an echo is longer than",
  ],
  ["an answer of null", answering("null"), "expected an array of results, got null"],
  ["an answer without results", answering("[]"), "expected 1 results and got 0"],
  ["an answer of numbers", answering("[1]"), "expected <operation-result> and got 1"],
  ["an answer of no list", answering("7"), "expected an array of results, got 7"],
  ["one result too many", answering(`[{"uuid":["uuid","${uuid}"]},{}]`), "expected 1 results and got 2"],
  ["a uuid that is none", answering('[{"uuid":["uuid","nobody"]}]'), '"nobody" is not a uuid'],
  ["no uuid", answering("[{}]"), "expected <uuid> and got nothing"],
  [
    "a row under a name that is no uuid",
    afterFill('{"id":null,"method":"update2","params":["rows",{"T":{"nobody":{"delete":null}}}]}'),
    '"nobody" is not a uuid',
  ],
  [
    "params that are no list",
    afterFill('{"id":null,"method":"update2","params":5}'),
    "expected params of update2",
  ],
  ["no message", afterFill('{"id":5}'), "expected a JSON-RPC message"],
  ["a schema of null", refusing("get_schema", (call) => result(call, null)), "<database-schema>"],
  ["a schema of types", refusing("get_schema", (call) => result(call, { tables: { T: 7 } })), "expected T"],
];

describe("a process whose server is hostile", () => {
  let server: ScriptedServer | null = null;
  let running: ReturnType<typeof start> | null = null;

  afterEach(() => {
    server?.close();
    running?.child.kill("SIGKILL");
  });
  afterAll(stopAll);

  test("outlives every malformed message, says what it was, and is well with the next server", async () => {
    server = await ScriptedServer.open((call, connection, socket) =>
      (attacks[connection]?.[1] ?? answering(`[{"uuid":["uuid","${uuid}"]}]`))(call, connection, socket),
    );
    running = start(server.remote);
    const { lines, reasons } = running;
    await eventually(() => {
      expect(lines().some(({ done }) => done === true)).toBe(true);
    }, 40_000);
    expect(reasons()).toHaveLength(attacks.length);
    for (const [at, [, , reason]] of attacks.entries()) expect(reasons()[at]).toContain(reason);
    const failures = lines().flatMap(({ failed }) => failed ?? []);
    expect(new Set(failures)).toEqual(new Set(["ConnectionLostError"]));

    expect(await running.finish()).toBeLessThan(400 * megabyte);
  });

  test.each([
    ["and never reads the answers", false, "does not read the answers"],
    ["and reads the answers", true, null],
  ])("keeps little of a peer that sends echoes without end %s", async (_title, reads, reason) => {
    let sent = 0;
    server = await ScriptedServer.open((call, connection, socket) => {
      if (call.method === "transact") {
        if (!reads) socket.pause();
        flood(socket, (bytes) => {
          sent += bytes;
        });
        return null;
      }
      return wellBehaved(call, connection, socket);
    });
    running = start(server.remote);
    const { reasons } = running;
    await eventually(() => {
      if (reason === null) expect(sent).toBeGreaterThan(30e6);
      else expect(reasons().filter((text) => text.includes(reason)).length).toBeGreaterThan(2);
    }, 50_000);

    expect(await running.finish()).toBeLessThan(400 * megabyte);
  });

  test("keeps little of a peer that sends updates and never the rows", async () => {
    server = await ScriptedServer.open((call, connection, socket) => {
      if (call.method !== "monitor_cond" || call.params[0] === "_Server") {
        return wellBehaved(call, connection, socket);
      }
      const padding = " ".repeat(100_000);
      const update = `{"id":null,"method":"update2","params":["rows",{"T":{}}]${padding}}`;
      for (let at = 0; at < 400; at++) socket.write(update);
      return null;
    });
    running = start(server.remote);
    const { reasons } = running;
    await eventually(() => {
      expect(reasons().filter((text) => text.includes("before the monitor's reply")).length).toBeGreaterThan(
        2,
      );
    }, 40_000);

    expect(await running.finish()).toBeLessThan(400 * megabyte);
  });
});

/** Echoes as fast as the other side takes them. */
function flood(socket: Socket, count: (bytes: number) => void): void {
  const echoes = Buffer.from('{"id":"e","method":"echo","params":[]}'.repeat(2000));
  const write = (): void => {
    while (!socket.destroyed) {
      count(echoes.length);
      if (!socket.write(echoes)) break;
    }
    socket.once("drain", write);
  };
  write();
}
