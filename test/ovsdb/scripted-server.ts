// A server that says what the test tells it to: a function from a request to the reply, in RFC 7047's words, or to nothing
// at all. It answers echoes unless told otherwise, so that it looks alive.

import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { MessageSplitter } from "../../src/ovsdb/wire/framing.ts";
import { newFolder } from "./real-server.ts";
import { schema, uuid } from "./scripted-schema.ts";

export interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The raw text of the reply; null: none. `connection` counts from 0. */
export type Script = (call: Call, connection: number, socket: Socket) => string | null;

/** A reply with this result. */
export function result(call: Call, value: unknown): string {
  return JSON.stringify({ id: call.id, result: value, error: null });
}

/** What a good server of one row says. It has no status of its own. */
export const wellBehaved: Script = (call) => {
  switch (call.method) {
    case "echo":
      return result(call, call.params);
    case "get_schema":
      return result(call, schema);
    case "monitor_cond":
      return call.params[0] === "_Server"
        ? JSON.stringify({ id: call.id, result: null, error: "unknown database" })
        : result(call, { T: { [uuid]: { initial: { n: 1 } } } });
    case "transact":
      return result(
        call,
        call.params.slice(1).map(() => ({ count: 1 })),
      );
    default:
      return JSON.stringify({ id: call.id, result: null, error: "unknown method" });
  }
};

export class ScriptedServer {
  readonly remote: string;
  /** Names of the methods called, by connection. */
  readonly calls: string[][] = [];
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(path: string, script: Script) {
    this.remote = `unix:${path}`;
    this.#server = createServer((socket) => {
      const connection = this.sockets.push(socket) - 1;
      const splitter = new MessageSplitter(2 ** 30);
      const called: string[] = [];
      this.calls.push(called);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        for (const { text } of splitter.push(chunk)) {
          const call = JSON.parse(text) as Partial<Call> & { readonly id: unknown };
          if (call.method === undefined) continue;
          called.push(call.method);
          const reply = script({ params: [], ...call, method: call.method }, connection, socket);
          if (reply !== null) socket.write(reply);
        }
      });
    });
  }

  static async open(script: Script): Promise<ScriptedServer> {
    const path = join(newFolder(), "s.sock");
    const server = new ScriptedServer(path, script);
    await new Promise<void>((resolve) => {
      server.#server.listen(path, resolve);
    });
    return server;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}
