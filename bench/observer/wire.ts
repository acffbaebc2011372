// One connection to an ovsdb-server, as thin as it can be: requests go out as bytes made beforehand, notifications come in
// as parsed JSON. It answers echoes, keeps no cache, and a connection that is lost is lost.

import { connect, type Socket } from "node:net";
import { parseJson } from "../../src/model/reader.ts";
import { MessageSplitter } from "../../src/ovsdb/wire/framing.ts";
import { isRecord } from "../../src/ovsdb/notation/schema.ts";

/** As much as one string can hold. */
const maxMessageBytes = 2 ** 29 - 24;

/** A request whose bytes are ready. */
export interface Prepared {
  readonly id: number;
  readonly bytes: Buffer;
  readonly operations: number;
}

let lastId = 0;

export function prepare(method: string, params: readonly unknown[]): Prepared {
  const id = ++lastId;
  return { id, bytes: Buffer.from(JSON.stringify({ id, method, params })), operations: params.length - 1 };
}

export class Wire {
  readonly #socket: Socket;
  readonly #splitter = new MessageSplitter(maxMessageBytes);
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #notified: (params: readonly unknown[]) => void;

  private constructor(socket: Socket, notified: (params: readonly unknown[]) => void) {
    this.#socket = socket;
    this.#notified = notified;
    socket.on("data", (chunk: Buffer) => {
      for (const { text } of this.#splitter.push(chunk)) this.#take(parseJson(text));
    });
    socket.on("error", (error) => {
      this.#end(error);
    });
    socket.on("close", () => {
      this.#end(new Error("the server closed the connection"));
    });
  }

  /** `remote` is "unix:<path>". `notified` hears the params of every update. */
  static async open(remote: string, notified: (params: readonly unknown[]) => void = ignore): Promise<Wire> {
    const socket = connect({ path: remote.slice("unix:".length) });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new Wire(socket, notified);
  }

  /** Resolves with the result; rejects with what the server says against it. */
  send({ id, bytes }: Prepared): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.write(bytes);
    return answer.promise;
  }

  /** One transaction; rejects when any of its operations was refused. */
  async transact(request: Prepared): Promise<void> {
    const answer = await this.send(request);
    const results: readonly unknown[] = Array.isArray(answer) ? answer : [{ error: answer }];
    const failed = results.find((result) => isRecord(result) && "error" in result);
    if (failed !== undefined) throw new Error(`a transaction was refused: ${JSON.stringify(failed)}`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(message: unknown): void {
    if (!isRecord(message)) throw new Error("a message is no JSON object");
    const { id, method, params, result, error } = message;
    if (method === "echo") {
      this.#socket.write(JSON.stringify({ id, result: params, error: null }));
    } else if (typeof method === "string") {
      this.#notified(Array.isArray(params) ? params : []);
    } else if (typeof id === "number") {
      const answer = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === null || error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(JSON.stringify(error)));
    }
  }

  #end(error: Error): void {
    for (const answer of this.#waiting.values()) answer.reject(error);
    this.#waiting.clear();
  }
}

function ignore(): void {
  // Who asked for no updates gets none.
}
