// The unix socket on which watchers of a node ask: mode 0600, so that only its owner reads who speaks to whom. Bounded in watchers, in
// what a question may be, and in what waits for a watcher that does not read: that is dropped, and counted in its answer.

import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
import type { Clock } from "../../lib/clock.ts";
import type { Hub } from "./hub.ts";
import type { AnswerLine, Question } from "./protocol.ts";
import { longestQuestion, parseQuestion } from "./protocol.ts";

export const mostWatchers = 16;
/** What may wait for a watcher. */
export const mostWaitingBytes = 1 << 20;
const questionMs = 5_000;

export interface WatchServerOptions {
  readonly path: string;
  readonly hub: Hub;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** What is not seen now, one sentence each. */
  readonly notes: () => readonly string[];
}

export class WatchServer {
  readonly #options: WatchServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: WatchServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => {
      this.#accept(socket);
    });
  }

  /** Rejects with an Error of one sentence when the socket cannot be made, or another reader has it. */
  static async open(options: WatchServerOptions): Promise<WatchServer> {
    const { path } = options;
    if (await isAnswered(path)) throw new Error(`${path}: another reader listens there`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const left = lstatSync(path, { throwIfNoEntry: false });
    if (left?.isSocket() === false) throw new Error(`${path}: is no socket`);
    rmSync(path, { force: true });
    const server = new WatchServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once("error", reject);
      server.#server.listen(path, resolve);
    });
    chmodSync(path, 0o600);
    return server;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #accept(socket: Socket): void {
    if (this.#sockets.size >= mostWatchers) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const late = this.#options.clock.after(questionMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      late.cancel();
      this.#sockets.delete(socket);
    });
    let text = "";
    const read = (chunk: Buffer): void => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\n");
      if (end < 0 && text.length <= longestQuestion) return;
      late.cancel();
      socket.off("data", read).resume();
      const question = end < 0 ? null : parseQuestion(Buffer.from(text.slice(0, end), "latin1").toString());
      if (question === null) socket.destroy();
      else this.#answer(socket, question);
    };
    socket.on("data", read);
  }

  #answer(socket: Socket, { filter, sinceSeconds, follow }: Question): void {
    const { hub, now, notes } = this.#options;
    const answer = new Answer(socket);
    const fromMs = sinceSeconds === null ? 0 : now() - sinceSeconds * 1000;
    for (const event of hub.kept(filter, fromMs)) answer.write({ event });
    for (const note of notes()) answer.write({ note });
    if (!follow) {
      socket.end();
      return;
    }
    const leave = hub.watch(filter, (event) => {
      answer.offer({ event });
    });
    socket.on("close", leave);
  }
}

class Answer {
  readonly #socket: Socket;
  #lost = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("drain", () => {
      this.#sayLost();
    });
  }

  /** What is kept is bounded itself, and waits whole. */
  write(line: AnswerLine): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }

  /** Dropped while too much waits; how many, is said when the watcher has read that. */
  offer(line: AnswerLine): void {
    if (this.#socket.writableLength > mostWaitingBytes) {
      this.#lost++;
      return;
    }
    this.#sayLost();
    this.write(line);
  }

  #sayLost(): void {
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.write({ lost });
  }
}

/** Whether a program listens on the socket; one that was killed has left a file. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => {
      settle(true);
    });
    socket.once("error", () => {
      settle(false);
    });
  });
}
