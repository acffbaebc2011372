// What a key meant at a time: the values that it has had, each with its beginning and end, for an hour. Record and change come by
// different ways, so that times are compared with some room.

/** How long a value is kept after its end. */
export const keptMs = 3_600_000;
/** How much later a change may be noticed here than it has happened. */
const lagMs = 5_000;
/** Values of one key. */
const mostValues = 16;

interface Period<V> {
  readonly value: V;
  readonly fromMs: number;
  /** Infinity: it holds. */
  untilMs: number;
}

export class Timeline<K, V> {
  readonly #periods = new Map<K, Period<V>[]>();
  /** How long after its end a value still counts. */
  readonly #graceMs: number;

  /** `graceMs`: Infinity where what has ended may still be met. */
  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** From now on the key has this value; null: none. The value of before ends. */
  set(key: K, value: V | null, nowMs: number): void {
    const periods = this.#periods.get(key) ?? [];
    const last = periods.at(-1);
    if (last?.untilMs === Infinity) {
      if (last.value === value) return;
      last.untilMs = nowMs;
    }
    if (value !== null) periods.push({ value, fromMs: nowMs, untilMs: Infinity });
    if (periods.length > mostValues) periods.shift();
    if (periods.length > 0) this.#periods.set(key, periods);
  }

  /** The value of the key at the time, or the one that was nearest to it. */
  at(key: K, atMs: number): V | null {
    let best: Period<V> | null = null;
    let least = Infinity;
    for (const period of this.#periods.get(key) ?? []) {
      const distance = this.#distance(period, atMs);
      if (distance > least || distance === Infinity) continue;
      best = period;
      least = distance;
    }
    return best?.value ?? null;
  }

  /** Forgets what ended long ago. */
  prune(nowMs: number): void {
    for (const [key, periods] of this.#periods) {
      const kept = periods.filter(({ untilMs }) => untilMs > nowMs - keptMs);
      if (kept.length === 0) this.#periods.delete(key);
      else if (kept.length < periods.length) this.#periods.set(key, kept);
    }
  }

  get size(): number {
    return this.#periods.size;
  }

  /** 0: within the period; Infinity: not to be taken for it. */
  #distance({ fromMs, untilMs }: Period<V>, atMs: number): number {
    if (atMs < fromMs) return fromMs - atMs <= lagMs ? fromMs - atMs : Infinity;
    if (atMs < untilMs) return 0;
    return atMs - untilMs <= this.#graceMs ? atMs - untilMs : Infinity;
  }
}
