// One connected socket speaking JSON-RPC: framing, request ids, echoes both ways. It ends once, with one reason, and
// every open request is rejected with it; it never reconnects (socket-session.ts makes a new one). What a peer can make it
// hold is bounded: nothing is read while messages wait, and a peer that does not read our answers is left.

import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { Pace } from "../../lib/pace.ts";
import { PendingRequests, type Limit } from "./pending-requests.ts";
import { ConnectionLostError, ProtocolError, reasonOf } from "../notation/errors.ts";
import { messageParts } from "./json-bytes.ts";
import { RpcPeer } from "./jsonrpc.ts";
import { Liveness } from "./liveness.ts";
import { type Message, MessageReader } from "./message-reader.ts";
import type { Counters } from "./stats.ts";

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly counters: Counters;
  readonly maxMessageBytes: number;
  /** Called with each notification of the server, `length` bytes long; an exception ends the connection. */
  notified(method: string, params: unknown, length: number): void;
  /** Settles when more notifications are accepted; null: they are. */
  crowded(): Promise<unknown> | null;
  /** The connection has ended; called once, before the open requests are rejected. */
  ended(reason: string): void;
}

/** The most bytes of answers to a peer's requests that wait for the peer to read; a server's echo is answered with 40. */
export const maxUnreadAnswers = 1 << 20;

export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #reader: MessageReader;
  readonly #peer: RpcPeer;
  readonly #liveness: Liveness;
  readonly #pending: PendingRequests;
  /** Whole messages that are not processed yet. */
  readonly #inbox: Message[] = [];
  #isEmptying = false;
  readonly #end = Promise.withResolvers<string>();
  #reason: string | null = null;
  /** Bytes of answers that the system has not taken yet. */
  #unreadAnswers = 0;
  /** Bytes of the message that is being processed. */
  #length = 0;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#reader = new MessageReader(options.maxMessageBytes);
    this.#peer = new RpcPeer({
      write: (message) => {
        this.#send(message);
      },
      notified: (method, params) => {
        this.#guard(() => {
          options.notified(method, params, this.#length);
        });
      },
      failed: (error) => {
        this.end(reasonOf(error));
      },
    });
    this.#liveness = new Liveness({
      clock: options.clock,
      ask: () => {
        // Nothing is read while messages wait, so silence means nothing.
        if (this.#inbox.length > 0) this.#liveness.heard();
        // The reply itself does not matter: any byte that arrives counts as a sign of life.
        this.#peer.request("echo", []).catch(() => undefined);
      },
      gone: (reason) => {
        this.end(reason);
      },
    });
    this.#pending = new PendingRequests({
      clock: options.clock,
      movement: () => ({
        messages: this.#reader.messages,
        unfinished: this.#reader.unfinished,
        isBehind: this.#inbox.length > 0,
      }),
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

  /** Rejects with RpcError or ConnectionLostError; the connection ends when the answer takes longer than the limit. */
  async request(method: string, params: unknown, limit: Limit): Promise<unknown> {
    const answer = this.#peer.request(method, params);
    const answered = this.#pending.begin(method, limit);
    try {
      return await answer;
    } finally {
      answered();
    }
  }

  /** Throws ConnectionLostError when the connection has ended. */
  assertOpen(): void {
    if (this.#reason !== null) throw new ConnectionLostError(this.#reason);
  }

  end(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#liveness.stop();
    this.#pending.stop();
    this.#socket.destroy();
    this.#options.ended(reason);
    this.#peer.lose(reason);
    this.#end.resolve(reason);
  }

  #take(chunk: Buffer): void {
    this.#options.counters.bytesReceived += chunk.length;
    this.#liveness.heard();
    const pace = new Pace(this.#options.clock);
    const { pieces } = this.#reader;
    for (const message of this.#reader.push(chunk)) this.#inbox.push(message);
    if (!this.#isEmptying) void this.#empty(pace, this.#reader.pieces > pieces);
  }

  /**
   * Processes messages in order; a message that took long to assemble is processed in the next turn. Where a piece of a
   * long message was parsed, the event loop turns before more is read: the system gives 2 MB in one turn.
   */
  async #empty(pace: Pace, hasParsed: boolean): Promise<void> {
    this.#isEmptying = true;
    if (hasParsed) {
      this.#socket.pause();
      await pace.rest();
    }
    for (let message = this.#inbox[0]; message !== undefined; message = this.#inbox[0]) {
      const crowded = this.#options.crowded();
      if (crowded !== null || pace.isDue) {
        this.#socket.pause();
        await (crowded ?? pace.rest());
      }
      if (this.#reason !== null) return;
      this.#receive(message);
      this.#inbox.shift();
    }
    this.#isEmptying = false;
    this.#socket.resume();
  }

  #receive(message: Message): void {
    this.#length = message.length;
    this.#guard(() => {
      this.#peer.receive(message);
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#reason !== null) return;
    const isAnswer = !("method" in message);
    const parts = messageParts(message);
    if (parts.length > 1) this.#socket.cork();
    for (const part of parts) {
      this.#options.counters.bytesSent += part.length;
      if (isAnswer) this.#answer(part);
      else this.#socket.write(part);
    }
    if (parts.length > 1) this.#socket.uncork();
  }

  #answer(part: Buffer): void {
    this.#unreadAnswers += part.length;
    this.#socket.write(part, () => {
      this.#unreadAnswers -= part.length;
    });
    if (this.#unreadAnswers > maxUnreadAnswers) {
      throw new ProtocolError(`the peer asks and does not read the answers: ${maxUnreadAnswers} bytes wait`);
    }
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
