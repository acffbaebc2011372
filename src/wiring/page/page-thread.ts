// The thread that serves the page: started, given what it needs, and started again when it ends by itself, at most five times a
// minute. Whatever happens in it, the program continues: an error there is a line in the log. One that hangs is ended. Its address
// stays the same.

import { Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { FromThread, PageStart, ToThread } from "./page-messages.ts";
import { readFromThread } from "./page-messages.ts";

/** The part of a Worker that is used. */
export interface ThreadHandle {
  postMessage(message: ToThread): void;
  on(event: "message", listener: (value: unknown) => void): unknown;
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "exit", listener: (code: number) => void): unknown;
  terminate(): Promise<number>;
}

export interface PageThreadOptions {
  readonly start: PageStart;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A thread has begun, the first or another: it knows nothing yet. */
  readonly begun: (post: (message: ToThread) => void) => void;
  /** The thread has taken the last objects. */
  readonly absorbed: () => void;
  /** The thread says that it cannot go on, after it has served; absent: it is started again. */
  readonly failed?: (error: Error) => void;
  readonly spawn?: (start: PageStart) => ThreadHandle;
}

export const mostStarts = 5;
export const startsWithinMs = 60_000;
/** How long a thread may take for what it was sent: one that hangs is ended, so that what waits for it does not grow. */
export const absorbMs = 60_000;
/** How long a thread may take to end by itself. */
const endMs = 2_000;

/** A file of cli/ in a checkout, and beside the program where that is built (scripts/support/bundling.ts). */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "../../cli/page/ui-page.ts" : "./ui-page.js",
  import.meta.url,
);

export class PageThread {
  readonly #options: PageThreadOptions;
  /** When the threads of the last minute were started. */
  #starts: number[] = [];
  #thread: ThreadHandle | null = null;
  #timer: Timer | null = null;
  #patience: Timer | null = null;
  #isStopped = false;
  #ended: () => void = () => undefined;
  #address: string | null = null;
  readonly #first = Promise.withResolvers<string>();

  private constructor(options: PageThreadOptions) {
    this.#options = options;
  }

  /** Rejects with one line when the page cannot be served. */
  static async open(options: PageThreadOptions): Promise<PageThread> {
    const thread = new PageThread(options);
    thread.#begin();
    await thread.#first.promise;
    return thread;
  }

  /** Where the page is. */
  get address(): string {
    return this.#address ?? "";
  }

  async close(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    const thread = this.#thread;
    if (thread === null) return;
    const ended = new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
    thread.postMessage({ kind: "stop" });
    const patience = this.#options.clock.after(endMs, () => void thread.terminate());
    await ended;
    patience.cancel();
  }

  #begin(): void {
    const { start, clock, spawn = spawned, begun } = this.#options;
    this.#starts = [...this.#starts.filter((at) => clock.now() - at < startsWithinMs), clock.now()];
    const port = this.#address === null ? start.page.port : Number(new URL(this.#address).port);
    const thread = spawn({ ...start, page: { ...start.page, port } });
    this.#thread = thread;
    let reason: unknown = null;
    thread.on("message", (value) => {
      const message = readFromThread(value);
      if (message?.kind === "failed") reason = new Error(message.message);
      if (message !== null && !this.#isStopped) this.#heard(message);
    });
    thread.on("error", (error) => {
      reason = error;
    });
    thread.on("exit", (code) => {
      this.#thread = null;
      this.#patience?.cancel();
      this.#exited(reason ?? new Error(`the thread of the page has ended with ${code}`));
    });
    begun((message) => {
      if (this.#thread !== thread) return;
      thread.postMessage(message);
      if (message.kind === "objects") this.#expect(thread);
    });
  }

  #expect(thread: ThreadHandle): void {
    this.#patience?.cancel();
    this.#patience = this.#options.clock.after(absorbMs, () => {
      thread.terminate().catch(() => undefined);
    });
  }

  #heard(message: FromThread): void {
    switch (message.kind) {
      case "listening":
        this.#address = message.address;
        this.#first.resolve(message.address);
        break;
      case "absorbed":
        this.#patience?.cancel();
        this.#options.absorbed();
        break;
      case "failed":
        if (this.#address !== null) this.#options.failed?.(new Error(message.message));
        break;
    }
  }

  #exited(reason: unknown): void {
    const { clock, logger } = this.#options;
    if (this.#isStopped) {
      this.#ended();
      return;
    }
    const error = reason instanceof Error ? reason : new Error(String(reason));
    if (this.#address === null) {
      this.#isStopped = true;
      this.#first.reject(error);
      return;
    }
    const [oldest = 0] = this.#starts;
    const isOften = this.#starts.length >= mostStarts;
    const waitMs = isOften ? Math.max(0, startsWithinMs - (clock.now() - oldest)) : 0;
    logger.error("the thread of the page has ended and is restarted", {
      ...{ reason: error.stack ?? error.message, inSeconds: Math.ceil(waitMs / 1000) },
    });
    this.#timer = clock.after(waitMs, () => {
      this.#begin();
    });
  }
}

function spawned(start: PageStart): ThreadHandle {
  return new Worker(program, { workerData: start });
}
