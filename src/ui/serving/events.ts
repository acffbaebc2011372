// What the page is about, pushed to whoever looks at it: as server-sent events, the state when a stream begins and again when it
// is another. A few streams at a time, each for a few minutes: a browser opens the next by itself, and is asked again who it is.
// Invariant: without a stream nothing is looked at.

import type { Clock, Timer } from "../../lib/clock.ts";
import type { Reply } from "../../http/reply.ts";
import type { Sink, Stream } from "../../http/stream.ts";

export interface Told {
  /** Equal: the state is as before. */
  readonly version: string;
  /** As JSON in one line. */
  readonly json: () => string;
}

export const mostStreams = 16;
/** How often it is looked whether the state is another. */
export const lookMs = 1_000;
/** A client that hears nothing for longer than two of these knows that its stream is dead. */
export const beatMs = 15_000;
export const streamMs = 300_000;

interface Open {
  readonly sink: Sink;
  readonly begun: number;
  /** When something was sent last. */
  said: number;
  version: string;
}

export class Events {
  readonly #clock: Clock;
  readonly #now: () => Told;
  readonly #open = new Set<Open>();
  #timer: Timer | null = null;

  constructor(clock: Clock, now: () => Told) {
    this.#clock = clock;
    this.#now = now;
  }

  get size(): number {
    return this.#open.size;
  }

  /** A refusal when there are as many streams as there may be: the client polls. */
  answer(): Stream | Reply {
    if (this.#open.size >= mostStreams)
      return {
        ...{ status: 503, type: "application/json; charset=utf-8" },
        body: JSON.stringify({ error: `there are ${mostStreams} streams already: ask /api/state` }),
      };
    return {
      type: "text/event-stream; charset=utf-8",
      begin: (sink) => {
        this.#begin(sink);
      },
    };
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (const { sink } of this.#open) sink.end();
  }

  #begin(sink: Sink): void {
    const now = this.#clock.now();
    const one: Open = { sink, begun: now, said: now, version: "" };
    this.#open.add(one);
    sink.onEnd(() => {
      this.#open.delete(one);
    });
    sink.write("retry: 2000\n\n");
    this.#tell(this.#now(), [one]);
    this.#wait();
  }

  #wait(): void {
    this.#timer ??= this.#clock.after(lookMs, () => {
      this.#timer = null;
      if (this.#open.size === 0) return;
      this.#tell(this.#now(), [...this.#open]);
      this.#wait();
    });
  }

  #tell({ version, json }: Told, streams: readonly Open[]): void {
    const now = this.#clock.now();
    const behind = streams.filter((one) => one.version !== version);
    const text = behind.length === 0 ? "" : `event: state\ndata: ${json()}\n\n`;
    for (const one of behind) this.#say(one, now, text);
    for (const one of behind) one.version = version;
    for (const one of streams) {
      if (now - one.said >= beatMs) this.#say(one, now, "event: beat\ndata:\n\n");
      if (now - one.begun >= streamMs) one.sink.end();
    }
  }

  #say(one: Open, now: number, text: string): void {
    one.said = now;
    one.sink.write(text);
  }
}
