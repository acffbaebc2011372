// When a request to the API server may begin: a few at a time and so many a second; while the server is in trouble, only one,
// and none before the time that the server has asked for. Knows no writes: the sender passes how many requests are under way
// and how they ended, and is called when one may begin again.

import type { Backoff } from "../../lib/backoff.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Failure } from "../transport/failure.ts";
import { defaultTiming } from "../transport/timing.ts";
import type { RateOptions } from "./rate.ts";
import { Rate } from "./rate.ts";

export interface PacingOptions {
  readonly clock: Clock;
  /** For trouble of the server or of the way to it. */
  readonly trouble: Backoff;
  /** Called when requests may begin after they might not. */
  readonly opened: () => void;
}

/** Enough to be quick, too few to strain an API server that serves a cluster. */
const mostUnderWay = 4;
/**
 * Thousands of policies have their status after a minute or two, and in none of its seconds is the server busy with them: its
 * priority and fairness gives a client few seats, and what waits for one waits there.
 */
const rate: RateOptions = { perSecond: 100, atOnce: 200 };

export class Pacing {
  readonly #options: PacingOptions;
  readonly #rate: Rate;
  #pause: Timer | null = null;
  /** When the pause ends. */
  #pausedUntil = 0;
  /** Until the rate allows another request. */
  #turn: Timer | null = null;

  constructor(options: PacingOptions) {
    this.#options = options;
    this.#rate = new Rate(options.clock, rate);
  }

  /** No request may begin before `opened` is called. */
  get isClosed(): boolean {
    return this.#pause !== null || this.#turn !== null;
  }

  /** Whether a request may begin beside those under way; it counts as begun. Where only the rate forbids it, `opened` follows. */
  mayBegin(underWay: number): boolean {
    if (underWay >= this.#limit || this.#turn !== null) return false;
    const wait = this.#rate.begin();
    if (wait === 0) return true;
    this.#turn = this.#options.clock.after(wait, () => {
      this.#turn = null;
      this.#options.opened();
    });
    return false;
  }

  /** The server has carried out a request: it is not in trouble. */
  succeeded(): void {
    this.#options.trouble.reset();
  }

  /** Begins nothing with a server in trouble, until a while has passed; of several that it asks for, the longest. */
  holdBack({ retryAfterMs }: Failure): void {
    const { clock, trouble, opened } = this.#options;
    const asked = Math.min(retryAfterMs ?? 0, defaultTiming.maxRetryAfterMs);
    const wait = asked + (this.#pause === null ? trouble.next() : 0);
    if (this.#pause !== null && clock.now() + wait <= this.#pausedUntil) return;
    this.#pause?.cancel();
    this.#pausedUntil = clock.now() + wait;
    this.#pause = clock.after(wait, () => {
      this.#pause = null;
      opened();
    });
  }

  /** `opened` is not called any more. */
  stop(): void {
    this.#pause?.cancel();
    this.#turn?.cancel();
  }

  /** How many requests may run now. */
  get #limit(): number {
    if (this.#pause !== null) return 0;
    return this.#options.trouble.failures > 0 ? 1 : mostUnderWay;
  }
}
