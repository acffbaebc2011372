// One connected socket speaking JSON-RPC: framing, request ids, echoes both ways. It ends once, with one reason, and
// every open request is rejected with it; it never reconnects (socket-session.ts makes a new one).

import type { Socket } from "node:net";
import type { Clock } from "../lib/clock.ts";
import { Pace } from "../lib/pace.ts";
import { ConnectionLostError, reasonOf } from "./errors.ts";
import { messageParts } from "./json-bytes.ts";
import { MessageSplitter } from "./framing.ts";
import { RpcPeer } from "./jsonrpc.ts";
import { Liveness } from "./liveness.ts";
import type { Counters } from "./stats.ts";

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly counters: Counters;
  readonly maxMessageBytes: number;
  /** Called with each notification of the server; an exception ends the connection. */
  notified(method: string, params: unknown): void;
  /** The connection has ended; called once, before the open requests are rejected. */
  ended(reason: string): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #splitter: MessageSplitter;
  readonly #peer: RpcPeer;
  readonly #liveness: Liveness;
  /** Whole messages that are not processed yet. */
  readonly #inbox: string[] = [];
  readonly #end = Promise.withResolvers<string>();
  #reason: string | null = null;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#splitter = new MessageSplitter(options.maxMessageBytes);
    this.#peer = new RpcPeer(
      (message) => {
        this.#send(message);
      },
      (method, params) => {
        this.#guard(() => {
          options.notified(method, params);
        });
      },
    );
    this.#liveness = new Liveness({
      clock: options.clock,
      ask: () => {
        // The reply itself does not matter: any byte that arrives counts as a sign of life.
        this.#peer.request("echo", []).catch(() => undefined);
      },
      gone: (reason) => {
        this.end(reason);
      },
    });
    socket.on("data", (chunk: Buffer) => {
      this.#guard(() => {
        this.#take(chunk);
      });
    });
    socket.on("error", (error) => {
      this.end(reasonOf(error));
    });
    socket.on("close", () => {
      this.end("the server closed the connection");
    });
  }

  /** Resolves with the reason when the connection has ended; never rejects. */
  get ended(): Promise<string> {
    return this.#end.promise;
  }

  /** Ends the connection when the peer sends nothing for two intervals. 0: never. */
  watch(intervalMs: number): void {
    if (this.#reason === null) this.#liveness.watch(intervalMs);
  }

  /** Rejects with RpcError or ConnectionLostError. */
  request(method: string, params: unknown): Promise<unknown> {
    return this.#peer.request(method, params);
  }

  /** Throws ConnectionLostError when the connection has ended. */
  assertOpen(): void {
    if (this.#reason !== null) throw new ConnectionLostError(this.#reason);
  }

  end(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#liveness.stop();
    this.#socket.destroy();
    this.#options.ended(reason);
    this.#peer.lose(reason);
    this.#end.resolve(reason);
  }

  #take(chunk: Buffer): void {
    this.#options.counters.bytesReceived += chunk.length;
    this.#liveness.heard();
    const pace = new Pace(this.#options.clock);
    const isBusy = this.#inbox.length > 0;
    for (const text of this.#splitter.push(chunk)) this.#inbox.push(text);
    if (!isBusy) void this.#empty(pace);
  }

  /** Processes messages in order; a message that took long to assemble is processed in the next turn. */
  async #empty(pace: Pace): Promise<void> {
    for (let text = this.#inbox[0]; text !== undefined; text = this.#inbox[0]) {
      if (pace.isDue) await pace.rest();
      if (this.#reason !== null) return;
      this.#receive(text);
      this.#inbox.shift();
    }
  }

  #receive(text: string): void {
    this.#guard(() => {
      this.#peer.receive(text);
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#reason !== null) return;
    this.#socket.cork();
    for (const part of messageParts(message)) {
      this.#options.counters.bytesSent += part.length;
      this.#socket.write(part);
    }
    this.#socket.uncork();
  }

  /** After a malformed message the stream and the cache are in doubt: no further message is processed. */
  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.end(reasonOf(error));
    }
  }
}
