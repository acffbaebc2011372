// One copy of a string that arrives many times: an address is in hundreds of sets and each message brings it anew. The
// pool is bounded: when full it starts over, so that it can never hold more than it saves.

const poolSize = 1 << 18;

export class Interner {
  readonly #pool = new Map<string, string>();

  /** A string equal to `text`, the first one seen where possible. */
  share(text: string): string {
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    if (this.#pool.size >= poolSize) this.#pool.clear();
    this.#pool.set(text, text);
    return text;
  }
}
