// What the event loop and the thread that renews the claim have in common: when the loop last turned, and when a sign of life
// was last given. Times are of the system's monotonic clock, which is one for all threads of a process.

const turned = 0;
const signed = 1;

export interface HeartbeatTimes {
  /** Between two looks of the thread. */
  readonly lookMs: number;
  /** Without a sign for so long, the thread gives one. */
  readonly lateMs: number;
  /** Since the loop's last turn: for longer, the thread gives none, and the claim lapses. */
  readonly turnMs: number;
}

export class HeartbeatMemory {
  readonly buffer: SharedArrayBuffer;
  readonly #times: BigInt64Array;

  constructor(buffer = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#times = new BigInt64Array(buffer);
  }

  turned(): void {
    this.#set(turned);
  }

  signed(): void {
    this.#set(signed);
  }

  /** Milliseconds since the loop turned. */
  get turnedAgoMs(): number {
    return this.#ago(turned);
  }

  /** Milliseconds since a sign of life was given, by either of the two. */
  get signedAgoMs(): number {
    return this.#ago(signed);
  }

  #set(index: number): void {
    Atomics.store(this.#times, index, process.hrtime.bigint());
  }

  #ago(index: number): number {
    return Number(process.hrtime.bigint() - Atomics.load(this.#times, index)) / 1e6;
  }
}
