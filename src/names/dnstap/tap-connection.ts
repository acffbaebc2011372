// One connection of a DNS server: what it sends goes through the stream to the reader of messages. Bounded in time, from a handshake or a frame
// that was begun to its end, and in bytes a second, beyond which it is not read. Ends once, with a reason.

import type { Socket } from "node:net";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Allowance } from "./allowance.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { TapEnd } from "./counts.ts";
import { TapStream } from "./stream/tap-stream.ts";

/** For the handshake, and for a frame that was begun. */
export const waitingMs = 5_000;
/** While wildcards are watched, the nudge makes every server send something much more often. */
export const idleMs = 600_000;

export interface TapConnectionOptions {
  readonly socket: Socket;
  readonly source: IpAddress;
  readonly clock: Clock;
  /** Of all connections of the source. */
  readonly allowance: Allowance;
  /** Whether the source may still send. */
  readonly isServer: () => boolean;
  /** `at`: milliseconds of the Clock. */
  readonly received: (messages: readonly Buffer[], bytes: number, at: number) => void;
  readonly slowed: () => void;
  /** Called once. */
  readonly ended: (why: TapEnd) => void;
}

export class TapConnection {
  readonly openedAt: number;
  readonly #options: TapConnectionOptions;
  readonly #stream = new TapStream();
  #isOpen = true;
  /** When something was last completed, or begun after a rest. */
  #progressAt: number;
  #rest: Timer | null = null;

  constructor(options: TapConnectionOptions) {
    this.#options = options;
    const { socket, clock } = options;
    this.openedAt = this.#progressAt = clock.now();
    socket.setKeepAlive(true, 30_000);
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => {
      this.#take(bytes);
    });
    socket.on("error", () => {
      this.end("failed");
    });
    socket.on("close", () => {
      this.end("closed by the sender");
    });
  }

  /** Whether its handshake is complete. */
  get hasStarted(): boolean {
    return this.#stream.hasStarted;
  }

  /** To be called again and again: ends a connection whose time is over, or whose source is no longer a DNS server. */
  check(): void {
    if (!this.#options.isServer()) this.end("no longer a DNS server");
    else if (this.#rest === null) this.#checkTime(this.#options.clock.now() - this.#progressAt);
  }

  end(why: TapEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#rest?.cancel();
    const { socket, ended } = this.#options;
    // What was last written, FINISH, still leaves.
    if (why === "finished") socket.destroySoon();
    else socket.destroy();
    ended(why);
  }

  #checkTime(ms: number): void {
    if (ms > waitingMs && !this.#stream.hasStarted) this.end("handshake too slow");
    else if (ms > waitingMs && this.#stream.isWaiting) this.end("frame too slow");
    else if (ms > idleMs) this.end("idle");
  }

  #take(bytes: Buffer): void {
    if (!this.#isOpen) return;
    const { clock, socket, isServer, received } = this.#options;
    if (!isServer()) {
      this.end("no longer a DNS server");
      return;
    }
    const now = clock.now();
    const wasWaiting = this.#stream.isWaiting;
    const { messages, reply, end } = this.#stream.push(bytes);
    const isStill = messages.length === 0 && reply === null && this.#stream.isWaiting;
    if (!wasWaiting || !isStill) this.#progressAt = now;
    received(messages, bytes.length, now);
    if (reply !== null) socket.write(reply);
    if (end !== null) this.end(end);
    else this.#spend(bytes.length, now);
  }

  #spend(bytes: number, now: number): void {
    const { clock, socket, allowance, slowed } = this.#options;
    const restMs = allowance.spend(bytes, now);
    if (restMs === 0 || this.#rest !== null) return;
    slowed();
    socket.pause();
    this.#rest = clock.after(restMs, () => {
      this.#rest = null;
      this.#progressAt = clock.now();
      socket.resume();
    });
  }
}
