// A value that takes long to compute, computed elsewhere while the page is served: the newest one, with the revision that it
// belongs to. One is computed at a time; a change meanwhile is computed at the first request after it has ended.

export interface CachedValue<T> {
  readonly value: T;
  /** Of what it was made; another than the present one: it is not of now. */
  readonly revision: string;
}

/** The message is for the client. */
export class NotComputed extends Error {
  override readonly name = "NotMade";
}

export class BackgroundCache<T> {
  readonly #make: () => Promise<T>;
  readonly #changed: () => void;
  #made:
    | (CachedValue<T> & { readonly failure: null })
    | { readonly failure: NotComputed; readonly revision: string }
    | null = null;
  #isMaking = false;

  /** `changed` is called when there is a newer one. */
  constructor(make: () => Promise<T>, changed: () => void) {
    this.#make = make;
    this.#changed = changed;
  }

  /** null: the first is being made. Throws NotMade when making it has failed, for as long as nothing is another. */
  of(revision: string): CachedValue<T> | null {
    if (this.#made?.revision !== revision && !this.#isMaking) this.#begin(revision);
    if (this.#made === null) return null;
    if (this.#made.failure !== null) throw this.#made.failure;
    return this.#made;
  }

  /** Whether one is being made. */
  get isMaking(): boolean {
    return this.#isMaking;
  }

  #begin(revision: string): void {
    this.#isMaking = true;
    const ended = (): void => {
      this.#isMaking = false;
      this.#changed();
    };
    this.#make().then(
      (value) => {
        this.#made = { value, revision, failure: null };
        ended();
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#made = { failure: new NotComputed(reason, { cause: error }), revision };
        ended();
      },
    );
  }
}

const mostKept = 32;
const mostMaking = 8;

/** A value for each of many questions. The ones that were asked last are kept. */
export class BackgroundCaches<Q, T> {
  readonly #make: (question: Q) => Promise<T>;
  readonly #changed: () => void;
  /** By the text of the question; the one that was asked last is last. */
  readonly #caches = new Map<string, BackgroundCache<T>>();

  constructor(make: (question: Q) => Promise<T>, changed: () => void) {
    this.#make = make;
    this.#changed = changed;
  }

  /** null: it is being made, or waits until others have been. Throws NotMade as a cache does. */
  of(question: Q, revision: string): CachedValue<T> | null {
    const key = JSON.stringify(question);
    const known = this.#caches.get(key);
    if (known === undefined && this.#making() >= mostMaking) return null;
    const cache = known ?? new BackgroundCache(() => this.#make(question), this.#changed);
    this.#caches.delete(key);
    this.#caches.set(key, cache);
    const [oldest] = this.#caches.keys();
    if (this.#caches.size > mostKept && oldest !== undefined) this.#caches.delete(oldest);
    return cache.of(revision);
  }

  #making(): number {
    return [...this.#caches.values()].filter(({ isMaking }) => isMaking).length;
  }
}
