// The requests that a peer has not answered, and which of them has waited for too long. Echoes show only that the peer is
// there, so they do not count: what counts is that a message grows, or that work of our own is under way. A timer that fires
// late means that this program was suspended, not the peer: the time starts again.

import type { Clock, Timer } from "../../lib/clock.ts";

/** How long to wait for an answer. */
export interface Limit {
  /** Milliseconds without an answer and without progress; 0: for ever. */
  readonly limitMs: number;
  /** Called before the connection is ended, with the milliseconds waited. */
  overdue?(milliseconds: number): void;
}

/** What of a connection moves, at one moment. */
export interface Movement {
  /** Messages received whole, and bytes of the one that is not. */
  readonly messages: number;
  readonly unfinished: number;
  /** Received messages wait for us. */
  readonly isBehind: boolean;
}

export interface PendingRequestsOptions {
  readonly clock: Clock;
  movement(): Movement;
  /** A request has waited for too long; nothing is watched any more. */
  gone(reason: string): void;
}

interface Waiting {
  readonly method: string;
  readonly limit: Limit;
  readonly asked: number;
  /** When the wait for it began: the peer answers in order. */
  since: number;
}

/** How often the connection is looked at while one limit lasts. */
const looks = 4;

export class PendingRequests {
  readonly #options: PendingRequestsOptions;
  /** In the order in which they were asked. */
  readonly #waiting = new Set<Waiting>();
  #timer: Timer | null = null;
  #last: Movement | null = null;

  constructor(options: PendingRequestsOptions) {
    this.#options = options;
  }

  /** Call when a request is sent. Returns the function to call when it has its answer or will never have one. */
  begin(method: string, limit: Limit): () => void {
    if (limit.limitMs <= 0) return () => undefined;
    const now = this.#options.clock.now();
    const waiting: Waiting = { method, limit, asked: now, since: now };
    this.#waiting.add(waiting);
    this.#arm();
    return () => {
      this.#answered(waiting);
    };
  }

  stop(): void {
    this.#waiting.clear();
    this.#rest();
  }

  /** Requests that were sent before this one still wait since they were sent. */
  #answered(request: Waiting): void {
    const now = this.#options.clock.now();
    let isLater = false;
    for (const waiting of this.#waiting) {
      if (isLater) waiting.since = now;
      if (waiting === request) isLater = true;
    }
    this.#waiting.delete(request);
    if (this.#waiting.size === 0) this.#rest();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#last = null;
  }

  #arm(): void {
    if (this.#timer !== null) return;
    const { clock } = this.#options;
    this.#last ??= this.#options.movement();
    const shortest = Math.min(...Array.from(this.#waiting, ({ limit }) => limit.limitMs));
    const dueAt = Math.min(...Array.from(this.#waiting, ({ since, limit }) => since + limit.limitMs));
    const ms = Math.max(1, Math.min(shortest / looks, dueAt - clock.now()));
    const due = clock.now() + ms;
    this.#timer = clock.after(ms, () => {
      this.#timer = null;
      this.#look(clock.now() - due > shortest / looks / 2);
    });
  }

  #look(late: boolean): void {
    const now = this.#options.clock.now();
    const movement = this.#options.movement();
    if (late || isProgress(this.#last, movement)) for (const waiting of this.#waiting) waiting.since = now;
    this.#last = movement;
    for (const { method, limit, asked, since } of this.#waiting) {
      if (now - since < limit.limitMs) continue;
      const milliseconds = Math.round(now - asked);
      this.stop();
      limit.overdue?.(milliseconds);
      this.#options.gone(`${method} was not answered within ${milliseconds} ms`);
      return;
    }
    if (this.#waiting.size > 0) this.#arm();
  }
}

function isProgress(before: Movement | null, after: Movement): boolean {
  if (before === null || after.isBehind) return true;
  // A message that begins is not enough: a peer that sends one echo after the other would always make progress.
  return after.messages === before.messages && after.unfinished > before.unfinished;
}
