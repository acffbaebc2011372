// Work in turns, one at a time, with a pause behind each that is as many times longer than the answer took as one says: however
// many ask, the rest of the program keeps its share of the time. Clients take turns, so that one that asks for much waits for
// itself. Requests whose client has left are skipped; more than a few are not kept.

import type { Clock, Timer } from "../../lib/clock.ts";

interface Turn {
  readonly isWanted: () => boolean;
  readonly work: () => void;
}

/** As many as connections can wait at once. */
const mostWaiting = 64;

export class Throttle {
  readonly #clock: Clock;
  readonly #rest: number;
  /** By the client; whose turn it is comes first. No list is empty. */
  readonly #waiting = new Map<string, Turn[]>();
  #timer: Timer | null = null;
  #isStopped = false;

  /** `rest`: 9 leaves nine tenths of the time to others. */
  constructor(clock: Clock, rest: number) {
    this.#clock = clock;
    this.#rest = rest;
  }

  /**
   * Does the work in its turn; rejects with what it throws. Never settles when it is not wanted by then, or when too many wait and
   * this client has the most of them.
   */
  take<T>(client: string, isWanted: () => boolean, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) return;
      const settle = (): void => {
        try {
          resolve(work());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#add(client, { isWanted, work: settle });
      if (this.#timer === null) this.#next(0);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    this.#timer?.cancel();
  }

  /** Drops the newest of whoever has the most waiting when there are too many. */
  #add(client: string, turn: Turn): void {
    this.#waiting.set(client, [...(this.#waiting.get(client) ?? []), turn]);
    const lists = [...this.#waiting.values()];
    if (lists.reduce((sum, { length }) => sum + length, 0) <= mostWaiting) return;
    lists.reduce((most, list) => (list.length > most.length ? list : most)).pop();
  }

  #take(): Turn | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [client, [turn, ...rest]] = next;
    // To the end of the line.
    this.#waiting.delete(client);
    if (rest.length > 0) this.#waiting.set(client, rest);
    return turn;
  }

  #next(ms: number): void {
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = null;
      const turn = this.#take();
      if (turn === undefined) return;
      const started = this.#clock.now();
      if (turn.isWanted()) turn.work();
      this.#next((this.#clock.now() - started) * this.#rest);
    });
  }
}
