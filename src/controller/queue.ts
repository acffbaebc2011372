// The keyed queue: which objects to examine again. A key waits at most once however often it is added; the queue does
// not record what happened. Failed keys return with backoff, until they succeed or are forgotten.

import type { Clock, Random, Timer } from "../lib/clock.ts";
import { Backoff } from "../lib/backoff.ts";

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** First and last wait after a failure, in milliseconds. */
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
}

export class KeyedQueue<K> {
  readonly #options: QueueOptions;
  /** Due keys, with the time they were added; insertion order is the order of service. */
  readonly #due = new Map<K, number>();
  readonly #backoffs = new Map<K, { readonly backoff: Backoff; timer: Timer | null }>();
  #wake: () => void = () => undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Keys due now. */
  get size(): number {
    return this.#due.size;
  }

  /** Milliseconds that the oldest due key has waited; 0 when none is due. */
  get oldestMs(): number {
    for (const since of this.#due.values()) return this.#options.clock.now() - since;
    return 0;
  }

  /** Keys that wait for a retry. */
  get delayed(): number {
    let count = 0;
    for (const { timer } of this.#backoffs.values()) if (timer !== null) count++;
    return count;
  }

  /** Called whenever a key becomes due. */
  onDue(callback: () => void): void {
    this.#wake = callback;
  }

  add(key: K): void {
    if (!this.#due.has(key)) this.#due.set(key, this.#options.clock.now());
    this.#wake();
  }

  /** Up to `most` due keys, oldest first; they are not due afterwards. */
  take(most: number): readonly K[] {
    const keys: K[] = [];
    for (const key of this.#due.keys()) {
      if (keys.length >= most) break;
      keys.push(key);
    }
    for (const key of keys) this.#due.delete(key);
    return keys;
  }

  /** The key's work failed: it becomes due again after its backoff. */
  failed(key: K): void {
    const { clock, random, initialBackoffMs, maxBackoffMs } = this.#options;
    let entry = this.#backoffs.get(key);
    if (entry === undefined) {
      entry = {
        backoff: new Backoff({ initialMs: initialBackoffMs, maxMs: maxBackoffMs, random }),
        timer: null,
      };
      this.#backoffs.set(key, entry);
    }
    entry.timer?.cancel();
    const waiting = entry;
    waiting.timer = clock.after(waiting.backoff.next(), () => {
      waiting.timer = null;
      this.add(key);
    });
  }

  /** The key's work succeeded, or none is left: no further try. */
  settled(key: K): void {
    this.#backoffs.get(key)?.timer?.cancel();
    this.#backoffs.delete(key);
  }

  stop(): void {
    for (const { timer } of this.#backoffs.values()) timer?.cancel();
    this.#backoffs.clear();
    this.#due.clear();
  }
}
