// Keeps the claim of a program whose event loop is busy: a thread renews it from outside the loop (heartbeat-thread.ts), for as
// long as the loop has turned not too long ago. The thread is started with the first claim; without it the claim is renewed by
// the loop alone. Invariant: the thread never claims, it only gives signs of life for a claim that this program holds.

import { setFlagsFromString } from "node:v8";
import { SHARE_ENV, Worker } from "node:worker_threads";
import type { Clock, Timer } from "../../lib/clock.ts";
import { every } from "../../lib/every.ts";
import type { Logger } from "../../lib/logger.ts";
import type { TlsFiles } from "../../ovsdb/index.ts";
import type { OwnClaim } from "./claim.ts";
import type { HeartbeatTimes } from "./heartbeat-memory.ts";
import { HeartbeatMemory } from "./heartbeat-memory.ts";
import type { HeartbeatTask } from "./heartbeat-thread.ts";

export interface HeartbeatOptions {
  readonly remotes: string;
  readonly database: string;
  readonly tls: TlsFiles | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for our own bugs: the program must end. */
  readonly fatal: (error: unknown) => void;
  readonly times?: HeartbeatTimes;
}

/** The loop renews every 4 s (election.ts), and another program takes a claim without a sign for 12 s. */
const defaultTimes: HeartbeatTimes = { lookMs: 1_000, lateMs: 6_000, turnMs: 30_000 };
/** How often the loop says that it turns. */
const turnEveryMs = 1_000;
/** Before a thread that has ended is started again. */
const restartMs = 60_000;

/** A file beside this one in a checkout, and beside the program where that is built (scripts/support/bundling.ts). */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./heartbeat-thread.ts" : "./heartbeat-thread.js",
  import.meta.url,
);

export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #memory = new HeartbeatMemory();
  readonly #turns: Timer;
  #worker: Worker | null = null;
  #endedAtMs = -Infinity;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    const turn = (): void => {
      this.#memory.turned();
    };
    turn();
    this.#turns = every(options.clock, turnEveryMs, turn, options.fatal);
  }

  /** A sign of life was given, by the loop or by the thread, so many milliseconds ago. */
  get signedAgoMs(): number {
    return this.#memory.signedAgoMs;
  }

  /** The loop has given this sign for a claim that it holds. */
  signed(claim: OwnClaim): void {
    this.#memory.signed();
    this.#worker ??= this.#start();
    this.#worker?.postMessage(claim);
  }

  /** The claim is not this program's any more. */
  lost(): void {
    this.#worker?.postMessage(null);
  }

  async stop(): Promise<void> {
    this.#turns.cancel();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker | null {
    const { clock, logger, remotes, database, tls, times = defaultTimes } = this.#options;
    if (clock.now() - this.#endedAtMs < restartMs) return null;
    const task: HeartbeatTask = { buffer: this.#memory.buffer, remotes, database, tls, times };
    // Gives the thread a function that collects its garbage.
    setFlagsFromString("--expose-gc");
    const worker = new Worker(program, {
      workerData: task,
      env: SHARE_ENV,
      // It holds next to nothing: one claim, one connection for a moment.
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
    });
    worker.once("online", () => {
      setFlagsFromString("--no-expose-gc");
    });
    worker.unref();
    const ended = (reason: string): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#endedAtMs = clock.now();
      logger.warn("the thread that renews the claim has ended: the loop renews it alone for a minute", {
        reason,
      });
    };
    worker.on("error", (error) => {
      ended(String(error));
    });
    worker.on("exit", (code) => {
      ended(`exit code ${code}`);
    });
    return worker;
  }
}
