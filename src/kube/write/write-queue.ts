// Pending writes to the API server: for each key only the latest one, never two of one key at a time, and no more than pacing.ts
// allows. A failed write is tried again with backoff. Independent of the contents: the caller judges the answers and learns the
// end of each write, exactly once.

import { Backoff } from "../../lib/backoff.ts";
import type { Timer } from "../../lib/clock.ts";
import type { ApiResponse } from "../transport/api.ts";
import type { FailureKind } from "../transport/failure.ts";
import { Failure, failureOf } from "../transport/failure.ts";
import { defaultTiming } from "../transport/timing.ts";
import { Pacing } from "./pacing.ts";
import type { ApiWriterOptions, End, WriteOutcome, Write } from "./write.ts";

export interface WriteQueueOptions<W extends Write> extends ApiWriterOptions {
  readonly judge: (write: W, response: ApiResponse) => WriteOutcome;
  readonly ended: (key: string, write: W, end: End) => void;
}

interface QueuedWrite<W> {
  readonly backoff: Backoff;
  /** The latest write; null when there is none any more. */
  write: W | null;
  running: W | null;
  timer: Timer | null;
}

/** For a write that is not insistent; with the backoff, about a minute. */
const fewTries = 8;
/** The wait before a refused write is tried again: an operator must act first. */
const slowMs = 60_000;

export class WriteQueue<W extends Write> {
  readonly #options: WriteQueueOptions<W>;
  readonly #entries = new Map<string, QueuedWrite<W>>();
  readonly #due = new Set<string>();
  readonly #pacing: Pacing;
  readonly #reported = new Map<string, FailureKind>();
  readonly #stopping = new AbortController();
  #underWay = 0;
  #scheduled = false;
  #failures = 0;
  #idlers: (() => void)[] = [];

  constructor(options: WriteQueueOptions<W>) {
    this.#options = options;
    this.#pacing = new Pacing({
      clock: options.clock,
      trouble: this.#newBackoff(),
      opened: () => {
        this.#schedule();
      },
    });
  }

  /** Keys with a write that has not ended. */
  get size(): number {
    return this.#entries.size;
  }

  /** Requests that failed so far. */
  get failures(): number {
    return this.#failures;
  }

  /** The latest write of the key, if it has not ended. */
  waiting(key: string): W | null {
    return this.#entries.get(key)?.write ?? null;
  }

  /** A request was sent for the key and may or may not have been carried out. */
  uncertain(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && (entry.running !== null || entry.backoff.failures > 0);
  }

  /** Replaces the key's last write. A write that waits after a failure leaves the rest of its wait to its successor. */
  put(key: string, write: W): void {
    if (this.#stopped) {
      this.#options.ended(key, write, "abandoned");
      return;
    }
    const entry = this.#entryOf(key);
    const replaced = entry.write;
    entry.write = write;
    if (entry.running === null && entry.timer === null) this.#due.add(key);
    this.#schedule();
    if (replaced !== null && replaced !== entry.running) this.#options.ended(key, replaced, "abandoned");
  }

  /** No further write for the key; a running request is completed. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { write, running } = entry;
    entry.write = null;
    entry.timer?.cancel();
    this.#due.delete(key);
    if (running === null) this.#entries.delete(key);
    if (write !== null && write !== running) this.#options.ended(key, write, "abandoned");
  }

  /** No further write for any key; running requests go on to their end. */
  clear(): void {
    for (const key of [...this.#entries.keys()]) this.forget(key);
  }

  /** Resolves when no request is running and none can be sent; writes that wait for a retry may remain. */
  async idle(): Promise<void> {
    while (this.#scheduled || this.#underWay > 0 || (this.#due.size > 0 && !this.#pacing.isClosed))
      await new Promise<void>((resolve) => this.#idlers.push(resolve));
  }

  /** Aborts running requests and abandons the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pacing.stop();
    this.clear();
    await this.idle();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #newBackoff(): Backoff {
    const { initialBackoffMs, maxBackoffMs } = defaultTiming;
    return new Backoff({ initialMs: initialBackoffMs, maxMs: maxBackoffMs, random: this.#options.random });
  }

  #entryOf(key: string): QueuedWrite<W> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const entry = { backoff: this.#newBackoff(), write: null, running: null, timer: null };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Leaves the caller's stack, so that a write replaced in the same turn costs no request. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { fatal = uncaught } = this.#options;
    for (const key of this.#due) {
      if (!this.#pacing.mayBegin(this.#underWay)) break;
      this.#due.delete(key);
      const entry = this.#entries.get(key);
      if (entry !== undefined && entry.write !== null) this.#send(key, entry, entry.write).catch(fatal);
    }
    const idlers = this.#idlers;
    this.#idlers = [];
    for (const look of idlers) look();
  }

  async #send(key: string, entry: QueuedWrite<W>, write: W): Promise<void> {
    entry.running = write;
    this.#underWay++;
    try {
      const verdict = await this.#verdictOf(write);
      entry.running = null;
      if (!(verdict instanceof Failure)) this.#succeeded(key, entry, write, verdict);
      else if (this.#stopped) this.#end(key, entry, write, "abandoned");
      else this.#failed(key, entry, write, verdict);
    } finally {
      this.#underWay--;
      this.#schedule();
    }
  }

  async #verdictOf(write: W): Promise<WriteOutcome> {
    try {
      const { api, judge } = this.#options;
      return judge(write, await api.request({ ...write.request, signal: this.#stopping.signal }));
    } catch (error) {
      const failure = failureOf(error);
      if (failure !== null) return failure;
      if (this.#stopped) return new Failure("unavailable", "stopped");
      throw error;
    }
  }

  #succeeded(key: string, entry: QueuedWrite<W>, write: W, verdict: WriteOutcome): void {
    const { logger } = this.#options;
    const { resource } = write;
    this.#pacing.succeeded();
    entry.backoff.reset();
    if (this.#reported.delete(resource)) logger.info("writes to the API server succeed again", { resource });
    this.#end(key, entry, write, verdict);
  }

  #failed(key: string, entry: QueuedWrite<W>, write: W, failure: Failure): void {
    this.#failures++;
    const passing = failure.kind === "unavailable";
    if (passing) this.#pacing.holdBack(failure);
    const wait = entry.backoff.next() + (passing ? 0 : this.#slowWait());
    const givenUp = !write.insistent && !(passing && entry.backoff.failures < fewTries);
    this.#report(key, write, failure, givenUp);
    if (entry.write !== write || givenUp) this.#end(key, entry, write, failure);
    if (entry.write === null) return;
    this.#due.delete(key);
    entry.timer = this.#options.clock.after(wait, () => {
      entry.timer = null;
      this.#due.add(key);
      this.#schedule();
    });
  }

  /** All keys together send no more than about one refused request a second. */
  #slowWait(): number {
    return Math.max(slowMs, this.#entries.size * 1000) * (0.5 + 0.5 * this.#options.random());
  }

  /** The write has ended; a write that replaced it becomes due. */
  #end(key: string, entry: QueuedWrite<W>, write: W, end: End): void {
    const forgotten = entry.write === null;
    if (entry.write === write) entry.write = null;
    if (entry.write !== null) this.#due.add(key);
    else if (this.#entries.get(key) === entry) this.#entries.delete(key);
    this.#options.ended(key, write, forgotten ? "abandoned" : end);
  }

  /** Once for each kind of failure in a row and resource; the sentence itself may differ with every try. */
  #report(
    key: string,
    { resource, shown = key }: W,
    { kind, message: reason }: Failure,
    givenUp: boolean,
  ): void {
    const { logger } = this.#options;
    const fields = { resource, key: shown, reason };
    const known = this.#reported.get(resource) === kind;
    this.#reported.set(resource, kind);
    if (known) logger.debug("a write to the API server failed again", fields);
    else if (givenUp) logger.warn("a write to the API server failed and is not retried", fields);
    else logger.warn("a write to the API server failed and will be retried", fields);
  }
}

function uncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
