// What is counted of answers, for metrics, and logged at a bounded rate: one line a minute for each sort of event.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { RateLimitedLog } from "../lib/rate-limited-log.ts";
import { printable } from "../model/quote.ts";
import type { Outcome } from "./answer-sink.ts";
import type { Refusal } from "./refused.ts";

export const limitNames = ["addresses of a name", "names of a pattern", "addresses"] as const;
export type LimitName = (typeof limitNames)[number];

const logEveryMs = 60_000;
/** Characters of a text from DNS that are shown. */
const shown = 260;

export class Noted {
  readonly #log: RateLimitedLog;
  readonly #logger: Logger;
  readonly #answers = new Map<Outcome, number>();
  readonly #refusals = new Map<Refusal, number>();
  readonly #limits = new Map<LimitName, number>();

  constructor(clock: Clock, logger: Logger) {
    this.#log = new RateLimitedLog(clock, logEveryMs);
    this.#logger = logger;
  }

  answers(outcome: Outcome): number {
    return this.#answers.get(outcome) ?? 0;
  }

  refusals(reason: Refusal): number {
    return this.#refusals.get(reason) ?? 0;
  }

  limits(limit: LimitName): number {
    return this.#limits.get(limit) ?? 0;
  }

  answered(outcome: Outcome): void {
    this.#answers.set(outcome, this.answers(outcome) + 1);
  }

  refused(reason: Refusal, address: string, name: string): void {
    this.#refusals.set(reason, this.refusals(reason) + 1);
    const skipped = this.#log.skipped(`refused ${reason}`);
    if (skipped === null) return;
    this.#logger.warn("an answer of DNS has an address that is never allowed by a name", {
      ...{ reason, address: printable(address, shown), name: printable(name, shown), skipped },
    });
  }

  limited(limit: LimitName, name: string): void {
    this.#limits.set(limit, this.limits(limit) + 1);
    const skipped = this.#log.skipped(`limit ${limit}`);
    if (skipped === null) return;
    this.#logger.warn("a limit of answers of DNS is reached, and the oldest are left out", {
      ...{ limit, name: printable(name, shown), skipped },
    });
  }

  kept(name: string): void {
    const skipped = this.#log.skipped("kept");
    if (skipped === null) return;
    this.#logger.warn("DNS does not answer for a name, and its addresses are kept, for one hour at most", {
      ...{ name: printable(name, shown), skipped },
    });
  }
}
