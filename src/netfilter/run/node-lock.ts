// The one writer of a node's packet filter: whichever program listens on a socket without a file (unix(7), abstract), which exists
// once in each network namespace, as the packet filter does. The kernel removes it with its process, however that ends.

import { createConnection, createServer } from "node:net";
import type { Clock, Timer } from "../../lib/clock.ts";

const address = "\0northgate/netfilter";

/** Milliseconds until the next try, while another program writes. */
const retryMs = 1_000;

/** Whether a program on this node holds the lock. Does not take it. */
export function isLocked(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path: address });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });
}

export class NodeLock {
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #server = createServer((socket) => {
    socket.destroy();
  });
  #isHeld = false;
  #isStopped = false;
  #failure: string | null = null;
  #timer: Timer | null = null;

  /** `changed` is called when the lock is held, and when it is first known that another program holds it. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#server.on("listening", () => {
      this.#isHeld = true;
      this.#failure = null;
      changed();
    });
    this.#server.on("error", (error: NodeJS.ErrnoException) => {
      this.#failed(error);
    });
    this.#try();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Why it is not held, in one sentence; null: nothing is known yet. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Resolves when another program can take it. */
  async release(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #try(): void {
    if (!this.#isStopped) this.#server.listen({ path: address });
  }

  #failed({ code, message }: NodeJS.ErrnoException): void {
    const isFirst = this.#failure === null;
    this.#failure = code === "EADDRINUSE" ? "another Northgate writes on this node" : message;
    this.#timer = this.#clock.after(retryMs, () => {
      this.#try();
    });
    if (isFirst) this.#changed();
  }
}
