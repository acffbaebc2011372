// An exporter of spans that says in the log when its collector takes none, and when it does again; the library would say nothing.

import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

interface ReportedOptions {
  readonly endpoint: string;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Pick<Logger, "info" | "warn">;
}

type Export = Parameters<SpanExporter["export"]>;

/** How long a failure that was logged is not logged again. */
const quietMs = 600_000;

export class Reported implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #options: ReportedOptions;
  #saidAt: number | null = null;
  #lost = 0;

  constructor(inner: SpanExporter, options: ReportedOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  export(spans: Export[0], done: Export[1]): void {
    this.#inner.export(spans, (result) => {
      // The code is an enumeration of a package that this one does not depend on itself; a failure has an error too.
      if (result.error === undefined) this.#taken();
      else this.#refused(spans.length, result.error.message);
      done(result);
    });
  }

  async shutdown(): Promise<void> {
    await this.#inner.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#inner.forceFlush?.();
  }

  #taken(): void {
    const { endpoint, logger } = this.#options;
    if (this.#saidAt !== null) logger.info("traces are sent again", { endpoint, lost: this.#lost });
    this.#saidAt = null;
    this.#lost = 0;
  }

  #refused(spans: number, reason: string): void {
    const { endpoint, clock, logger } = this.#options;
    this.#lost += spans;
    const now = clock.now();
    if (this.#saidAt !== null && now - this.#saidAt < quietMs) return;
    this.#saidAt = now;
    logger.warn("traces cannot be sent", { endpoint, reason, lost: this.#lost });
  }
}
