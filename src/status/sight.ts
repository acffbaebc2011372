// Whether this program sees its source: each part of it has answered within a given time. Facts that cannot be followed get
// stale without any sign of it, so a program that does not see is not ready, and gives way to one that does. Logs both edges.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";

/** One part of a source. */
export interface SourceContact {
  readonly resource: string;
  /** When it last answered, by the clock. */
  readonly contactMs: number;
  /** When what is known of it was last current, by the clock. */
  readonly currentMs: number;
  /** Why it does not answer, in one sentence; null: that is not known. */
  readonly failure: string | null;
}

export interface SightOptions {
  readonly contacts: () => readonly SourceContact[];
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "now">;
  readonly logger: Logger;
}

/** Milliseconds in which changes may still arrive that were on their way when contact was lost or restored. */
const settleMs = 1_000;

export class Sight {
  readonly #options: SightOptions;
  #isReportedLost = false;
  /** When the source was last found lost. */
  #lostMs = -Infinity;

  constructor(options: SightOptions) {
    this.#options = options;
  }

  get isLost(): boolean {
    return this.#lost().length > 0;
  }

  /**
   * Every part answers, and what is known of each was current a second or more after the time, and after an outage of this
   * program's own, so that a holder regains contact before its claim is taken. -Infinity: current at any time.
   */
  isCurrent(afterMs: number): boolean {
    const sinceMs = afterMs === -Infinity ? afterMs : Math.max(afterMs, this.#lostMs) + settleMs;
    return !this.isLost && this.#options.contacts().every(({ currentMs }) => currentMs > sinceMs);
  }

  /** One line for /readyz; none while every part answers. */
  lines(): readonly string[] {
    const lost = this.#lost();
    return lost.length === 0 ? [] : [`the source is out of contact: ${lost.map(shown).join("; ")}`];

    function shown({ resource, seconds, failure }: Lost): string {
      return `${resource} for ${seconds} s${failure === null ? "" : ` (${failure})`}`;
    }
  }

  /** Seconds since each part answered, by its name. */
  seconds(): readonly (readonly [resource: string, seconds: number])[] {
    return this.#options
      .contacts()
      .map(({ resource, contactMs }) => [resource, this.#silentMs(contactMs) / 1000]);
  }

  /** Call it now and then. Returns whether the source is seen again since the last call. */
  review(): boolean {
    const { logger } = this.#options;
    const lost = this.#lost();
    const wasLost = this.#isReportedLost;
    this.#isReportedLost = lost.length > 0;
    if (lost.length > 0) this.#lostMs = this.#options.clock.now();
    if (!wasLost && lost.length > 0)
      logger.warn("the source is out of contact: its objects may be others than those known", {
        resources: lost.map(({ resource }) => resource),
        seconds: Math.max(...lost.map(({ seconds }) => seconds)),
        reason: lost.find(({ failure }) => failure !== null)?.failure ?? "no answer",
      });
    if (wasLost && lost.length === 0) logger.info("the source is in contact again");
    return wasLost && lost.length === 0;
  }

  #lost(): readonly Lost[] {
    const { contacts, timeoutMs } = this.#options;
    return contacts()
      .filter(({ contactMs }) => this.#silentMs(contactMs) > timeoutMs)
      .map((contact) => ({ ...contact, seconds: Math.floor(this.#silentMs(contact.contactMs) / 1000) }));
  }

  #silentMs(contactMs: number): number {
    return Math.max(0, this.#options.clock.now() - contactMs);
  }
}

interface Lost extends SourceContact {
  readonly seconds: number;
}
