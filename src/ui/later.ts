// Something that takes long to make, made somewhere else while the page goes on: the newest there is, with the revision that it
// is of. One is made at a time; what changes meanwhile is made when somebody asks after it has ended.

export interface Made<T> {
  readonly value: T;
  /** Of what it was made; another than the present one: it is not of now. */
  readonly revision: string;
}

export class Later<T> {
  readonly #make: () => Promise<T>;
  readonly #changed: () => void;
  #made:
    (Made<T> & { readonly failure: null }) | { readonly failure: Error; readonly revision: string } | null =
    null;
  #isMaking = false;

  /** `changed` is called when there is a newer one. */
  constructor(make: () => Promise<T>, changed: () => void) {
    this.#make = make;
    this.#changed = changed;
  }

  /** null: the first is being made. Throws what making it threw, for as long as nothing is another. */
  of(revision: string): Made<T> | null {
    if (this.#made?.revision !== revision && !this.#isMaking) this.#begin(revision);
    if (this.#made === null) return null;
    if (this.#made.failure !== null) throw this.#made.failure;
    return this.#made;
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
        this.#made = { failure: error instanceof Error ? error : new Error(String(error)), revision };
        ended();
      },
    );
  }
}
