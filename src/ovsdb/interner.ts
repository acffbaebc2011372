// One copy of a string that arrives many times: an address is in hundreds of sets, and each message contains it anew.
// The pool is bounded in its entries and in their length: when full it starts empty again, and long texts, which seldom
// repeat, are not kept, so that it never holds more than it saves.

const poolSize = 1 << 18;
/** The longest text that is kept; names, addresses and uuids are shorter. */
const maxLength = 128;

export class Interner {
  readonly #pool = new Map<string, string>();

  /** Texts held. */
  get size(): number {
    return this.#pool.size;
  }

  /** A string equal to `text`, the first one seen where possible. */
  share(text: string): string {
    if (text.length > maxLength) return text;
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    if (this.#pool.size >= poolSize) this.#pool.clear();
    this.#pool.set(text, text);
    return text;
  }
}
