// The connection over which one DNS server is nudged. It is made again when it ends, later and later while that fails. A server that does not
// answer is not asked more: no more than a few questions are open, and after some seconds the connection is made again.

import type { Socket } from "node:net";
import { connect } from "node:net";
import type { Clock, Random } from "../../../lib/clock.ts";
import { Backoff } from "../../../lib/backoff.ts";

export interface DnsServer {
  /** An address. */
  readonly host: string;
  readonly port: number;
}

export const mostOpen = 4;
export const answerMs = 5_000;
const lengthBytes = 2;

export interface NudgeCounts {
  readonly sent: number;
  readonly answered: number;
  /** Connections that ended before one answer, or with none for some seconds. */
  readonly failed: number;
}

export class NudgedServer {
  readonly #server: DnsServer;
  readonly #query: Buffer;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  #socket: Socket | null = null;
  #isConnected = false;
  /** On this connection. */
  #hasAnswered = false;
  #retryAt = -Infinity;
  #open = 0;
  /** When the oldest question that is open was sent, or the connection begun. */
  #waitingSince = 0;
  /** Bytes of the answer that is being read, and of its length. */
  #left = 0;
  #length: number[] = [];
  readonly counts = { sent: 0, answered: 0, failed: 0 };

  constructor(server: DnsServer, query: Buffer, clock: Clock, random: Random) {
    this.#server = server;
    this.#query = query;
    this.#clock = clock;
    this.#backoff = new Backoff({ initialMs: 100, maxMs: 10_000, random });
  }

  /** To be called at each turn. */
  nudge(): void {
    const now = this.#clock.now();
    const isLate = this.#socket !== null && (!this.#isConnected || this.#open > 0);
    if (isLate && now - this.#waitingSince > answerMs) this.#drop(true);
    if (this.#socket === null) {
      if (now >= this.#retryAt) this.#connect(now);
    } else if (this.#isConnected && this.#open < mostOpen) this.#ask(this.#socket, now);
  }

  /** Until the next nudge. */
  close(): void {
    this.#drop(false);
  }

  #connect(now: number): void {
    const socket = connect(this.#server);
    this.#socket = socket;
    this.#waitingSince = now;
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("connect", () => {
      if (socket === this.#socket) this.#isConnected = true;
    });
    socket.on("data", (bytes: Buffer) => {
      if (socket === this.#socket) this.#read(bytes);
    });
    socket.on("close", () => {
      if (socket === this.#socket) this.#drop(!this.#hasAnswered);
    });
  }

  #ask(socket: Socket, now: number): void {
    if (this.#open === 0) this.#waitingSince = now;
    this.#open++;
    this.counts.sent++;
    socket.write(this.#query);
  }

  /** Answers are counted, not read. */
  #read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#length.length < lengthBytes) {
        this.#length.push(bytes[at++] ?? 0);
        const [high = 0, low = 0] = this.#length;
        if (this.#length.length === lengthBytes) this.#left = (high << 8) | low;
      } else {
        const part = Math.min(this.#left, bytes.length - at);
        at += part;
        this.#left -= part;
      }
      if (this.#length.length === lengthBytes && this.#left === 0) this.#answered();
    }
  }

  #answered(): void {
    this.#length = [];
    this.#hasAnswered = true;
    this.counts.answered++;
    this.#open = Math.max(0, this.#open - 1);
    this.#waitingSince = this.#clock.now();
    this.#backoff.reset();
  }

  #drop(hasFailed: boolean): void {
    this.#socket?.destroy();
    this.#socket = null;
    if (hasFailed) {
      this.counts.failed++;
      this.#retryAt = this.#clock.now() + this.#backoff.next();
    }
    this.#isConnected = this.#hasAnswered = false;
    this.#open = this.#left = 0;
    this.#length = [];
  }
}
