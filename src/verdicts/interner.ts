// Small numbers for equal texts, from 0 in the order of their first use, so that what is compared millions of times is a
// number. Two interners have nothing to do with each other.

export class Interner {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const next = this.#numbers.size;
    this.#numbers.set(text, next);
    return next;
  }

  /** null: it was never used. */
  find(text: string): number | null {
    return this.#numbers.get(text) ?? null;
  }

  get size(): number {
    return this.#numbers.size;
  }
}
