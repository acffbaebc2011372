// Reads the switch of a node again and again, while it is started, and keeps the counts of its rules. A reading that fails is
// reported and tried again at the next turn; no two are under way at once.

import type { Clock } from "../lib/clock.ts";
import { pause } from "../lib/deadline.ts";
import type { Logger } from "../lib/logger.ts";
import { readSwitch } from "./counting.ts";
import type { RuleFlows } from "./flows.ts";
import type { RuleCount } from "./tally.ts";
import { Tally } from "./tally.ts";

export interface NodeReaderOptions {
  readonly flows: RuleFlows;
  /** Of the bridge's management socket. */
  readonly openflow: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Unix time, milliseconds. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** How often databases are looked at before they were read. */
const lookMs = 200;

export class NodeReader {
  readonly #options: NodeReaderOptions;
  readonly #tally: Tally;
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #readings = { ok: 0, failed: 0 };
  #lastMs: number | null = null;
  #readAtMs: number | null = null;
  #failure: string | null = "the switch was not read yet";

  constructor(options: NodeReaderOptions) {
    this.#options = options;
    this.#tally = new Tally("first reading", options.now);
  }

  /** Of the packets since the first reading. */
  get counts(): readonly RuleCount[] {
    return this.#tally.counts;
  }

  get readings(): Readonly<Record<"ok" | "failed", number>> {
    return this.#readings;
  }

  /** Milliseconds since the last reading; null: there was none. */
  get ageMs(): number | null {
    return this.#lastMs === null ? null : this.#options.clock.now() - this.#lastMs;
  }

  /** Unix time, milliseconds, of the last reading; null: there was none. */
  get readAtMs(): number | null {
    return this.#readAtMs;
  }

  /** Why counts are old, one line each. */
  faults(): readonly string[] {
    const { flows } = this.#options;
    return [...flows.faults(), ...(this.#failure === null ? [] : [this.#failure])];
  }

  /** `fatal`: is called for a bug. */
  start(fatal: (error: unknown) => void): void {
    this.#running = this.#run().catch(fatal);
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, intervalMs } = this.#options;
    const { signal } = this.#ending;
    // Before both databases were read, rules would be missing, and be taken for new later.
    while (!signal.aborted && this.#options.flows.faults().length > 0) await pause(clock, lookMs, signal);
    while (!signal.aborted) {
      const begun = clock.now();
      await this.#read();
      await pause(clock, Math.max(0, begun + intervalMs - clock.now()), signal);
    }
  }

  async #read(): Promise<void> {
    const { flows, openflow, clock, now, logger } = this.#options;
    try {
      const ofRules = flows.flows();
      this.#tally.add(ofRules, await readSwitch(openflow, ofRules, clock));
      if (this.#failure !== null) logger.info("the switch is read", { flows: ofRules.length });
      this.#lastMs = clock.now();
      this.#readAtMs = now();
      this.#failure = null;
      this.#readings.ok++;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const reason = `the switch cannot be read: ${error.message}`;
      if (reason !== this.#failure) logger.warn("the switch cannot be read", { reason: error.message });
      this.#failure = reason;
      this.#readings.failed++;
    }
  }
}
