// Tells a file at rest from one that is being written. A version of a file is believed when it has stood unchanged for the
// quiet time; so is its absence. It knows versions as texts, and reads no file and no clock of its own. A busy machine may hold up a
// look at any point: so a version counts from the end of the look that first saw it to the beginning of the last look.
// Invariant: what is not asked about in one look is forgotten, so that it begins again.

interface Version {
  readonly version: string;
  /** When this version was first seen, in ms of the caller's clock. */
  readonly since: number;
  /** When the path was first seen unsettled. */
  readonly first: number;
}

export class Settling {
  readonly #quietMs: number;
  #begunMs = 0;
  #endedMs = 0;
  #before: ReadonlyMap<string, Version> = new Map();
  #seen = new Map<string, Version>();

  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** Begins to take in what a look at all files has seen, which began and ended at these times. */
  look(begunMs: number, endedMs: number): void {
    this.#begunMs = begunMs;
    this.#endedMs = endedMs;
    this.#before = this.#seen;
    this.#seen = new Map();
  }

  /** Whether this version of the path has stood for the quiet time. */
  rests(path: string, version: string): boolean {
    const last = this.#before.get(path);
    const since = last?.version === version ? last.since : this.#endedMs;
    const seen = { version, since, first: last?.first ?? since };
    this.#seen.set(path, seen);
    return this.#isAtRest(seen);
  }

  /** The path changed after `rests` was asked: its quiet time begins again. */
  stirred(path: string): void {
    const last = this.#seen.get(path);
    this.#seen.set(path, { version: "", since: this.#endedMs, first: last?.first ?? this.#endedMs });
  }

  /** Milliseconds until the next version may be believed; null when none is waited for. */
  get dueMs(): number | null {
    const waits = this.#unsettled().map(([, { since }]) => since + this.#quietMs - this.#endedMs);
    return waits.length === 0 ? null : Math.min(...waits);
  }

  /** Paths that have kept changing for so many milliseconds. */
  restless(ms: number): readonly string[] {
    return this.#unsettled().flatMap(([path, { first }]) => (this.#endedMs - first >= ms ? [path] : []));
  }

  #unsettled(): readonly (readonly [string, Version])[] {
    return [...this.#seen].filter(([, version]) => !this.#isAtRest(version));
  }

  #isAtRest({ since }: Version): boolean {
    return this.#begunMs - since >= this.#quietMs;
  }
}
