// Looks at the program again and again, from outside: the kernel's figures and its own. A look that fails, while the program
// is held or busy, is counted and gives no sample.

import type { Program } from "./program.ts";

export interface Sample {
  /** Since the run began. */
  readonly atMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly descriptors: number;
  /** Since the last sample. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** The program was held from outside since the last sample: its lags say nothing. */
  readonly isHeld: boolean;
  readonly queueDepth: number;
  readonly cacheRows: number;
  readonly operations: number;
}

export class Sampler {
  readonly samples: Sample[] = [];
  missed = 0;
  readonly #program: Program;
  readonly #begunMs: number;

  constructor(program: Program, begunMs: number) {
    this.#program = program;
    this.#begunMs = begunMs;
  }

  async look(): Promise<void> {
    try {
      // First, so that the connection of the scrape is not among the descriptors.
      const usage = this.#program.usage();
      const scrape = await this.#program.metrics();
      const value = (name: string) => scrape.value(name) ?? Number.NaN;
      this.samples.push({
        atMs: Math.round(performance.now() - this.#begunMs),
        ...usage,
        heapBytes: value("nodejs_heap_size_used_bytes"),
        lagP99Ms: value("nodejs_eventloop_lag_p99_seconds") * 1000,
        lagMaxMs: value("nodejs_eventloop_lag_max_seconds") * 1000,
        isHeld: this.#program.takeHeld(),
        queueDepth: value("northgate_queue_depth"),
        cacheRows: value("northgate_nb_cache_rows"),
        operations: value("northgate_nb_operations_total"),
      });
    } catch (error) {
      if (!this.#program.runs)
        throw new Error(`the program has ended by itself: ${this.#program.complaints().join(" ")}`, {
          cause: error,
        });
      this.missed++;
    }
  }
}
