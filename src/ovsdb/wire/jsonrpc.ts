// JSON-RPC 1.0 as OVSDB speaks it (RFC 7047 section 4), on a library that speaks 2.0: each received message gets the
// 2.0 member, each sent message loses it. Responses find their requests by id; the server's requests are answered.

import { createJSONRPCRequest, JSONRPCClient, JSONRPCServer } from "json-rpc-2.0";
import type { JSONRPCRequest, JSONRPCResponse } from "json-rpc-2.0";
import { ConnectionLostError, ProtocolError } from "../notation/errors.ts";
import type { Message } from "./message-reader.ts";
import { excerpt } from "../notation/notation.ts";
import { isRecord } from "../notation/schema.ts";

type Wire = Readonly<Record<string, unknown>>;

const notifications: ReadonlySet<string> = new Set([
  ...["update", "update2", "update3", "monitor_canceled", "locked", "stolen"],
]);

/** The longest echo that is answered, in bytes; a server's own has some 40. */
export const maxEchoLength = 1 << 16;

/** The server answered a request with an error instead of a result; `error` is what it sent. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly error: unknown;

  constructor(method: string, error: unknown) {
    super(`${method} was refused: ${typeof error === "string" ? error : excerpt(error)}`);
    this.error = error;
  }
}

/** A 1.0 message as 2.0: no null members beside the one that counts, an error as an object with the original inside. */
export function fromWire(message: unknown): JSONRPCRequest | JSONRPCResponse {
  if (isRecord(message)) {
    const { method, params, id, result, error } = message;
    const key = typeof id === "string" || typeof id === "number" ? id : null;
    if (typeof method === "string") {
      // A null id is a notification (section 4); in 2.0 the id is then absent.
      return { jsonrpc: "2.0", method, params, ...(key === null ? {} : { id: key }) };
    }
    if (error !== undefined && error !== null) {
      return { jsonrpc: "2.0", id: key, error: { code: 0, message: "refused", data: error } };
    }
    if (result !== undefined) return { jsonrpc: "2.0", id: key, result };
  }
  throw new ProtocolError(`expected a JSON-RPC message and got ${excerpt(message)}`);
}

/** A 2.0 message as 1.0: ovsdb-server refuses members it does not know, and wants both `result` and `error`. */
export function toWire(message: JSONRPCRequest | JSONRPCResponse): Wire {
  if ("method" in message) {
    return { id: message.id ?? null, method: message.method, params: message.params as unknown };
  }
  if (message.error !== undefined) return { id: message.id, result: null, error: message.error.message };
  return { id: message.id, result: message.result as unknown, error: null };
}

export interface RpcPeerOptions {
  /** Sends one message. */
  write(message: Wire): void;
  /** Gets the server's notifications, in order and before `receive` returns; must not throw. */
  notified(method: string, params: unknown): void;
  /** An answer to the server could not be sent. */
  failed(error: unknown): void;
}

export class RpcPeer {
  readonly #options: RpcPeerOptions;
  readonly #client: JSONRPCClient;
  readonly #server: JSONRPCServer;
  #nextId = 0;
  #lost: string | null = null;

  constructor(options: RpcPeerOptions) {
    this.#options = options;
    this.#client = new JSONRPCClient((message: JSONRPCRequest) => {
      options.write(toWire(message));
    });
    // Errors in this client's answers are part of the answer; they have no other receiver.
    this.#server = new JSONRPCServer({ errorListener: () => undefined });
    this.#server.addMethod("echo", (params: unknown) => params ?? []);
    for (const method of notifications) {
      this.#server.addMethod(method, (params: unknown) => {
        options.notified(method, params);
        return null;
      });
    }
  }

  /** Rejects with RpcError when the server refuses, with ConnectionLostError when no response can arrive any more. */
  async request(method: string, params: unknown): Promise<unknown> {
    if (this.#lost !== null) throw new ConnectionLostError(this.#lost);
    // The request is written before this returns: calls made in a row arrive in that order.
    const answer = await this.#client.requestAdvanced(
      createJSONRPCRequest(++this.#nextId, method, params),
      undefined,
    );
    if (answer.error === undefined) return answer.result as unknown;
    // Only the server's errors carry data; the library's own error comes from `lose`.
    if (answer.error.data === undefined) throw new ConnectionLostError(answer.error.message);
    throw new RpcError(method, answer.error.data);
  }

  /** Processes one message of the server. Throws ProtocolError. */
  receive({ value, length }: Message): void {
    const message = fromWire(value);
    if (!("method" in message)) {
      this.#client.receive(message);
      return;
    }
    // Nobody waits for an answer.
    if (message.id === undefined && notifications.has(message.method)) {
      this.#options.notified(message.method, message.params);
      return;
    }
    if (message.method === "echo" && length > maxEchoLength) {
      throw new ProtocolError(`an echo is longer than ${maxEchoLength} bytes`);
    }
    void this.#answer(message);
  }

  async #answer(request: JSONRPCRequest): Promise<void> {
    try {
      const answer = await this.#server.receive(request);
      if (answer !== null && this.#lost === null) this.#options.write(toWire(answer));
    } catch (error) {
      this.#options.failed(error);
    }
  }

  /** Rejects every open request and all later ones. */
  lose(reason: string): void {
    this.#lost ??= reason;
    this.#client.rejectAllPendingRequests(reason);
  }
}
