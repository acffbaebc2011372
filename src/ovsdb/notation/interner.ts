// One copy of a string that arrives many times: an address is in hundreds of sets, and each message contains it again.
// The pool is bounded in its entries and in their length: when full it starts empty again, and long texts, which seldom
// repeat, are not kept, so that it never holds more than it saves. A long text that is on its way to the server is known as
// long as it is: the server sends it back unchanged.

const poolSize = 1 << 18;
/** The longest text that is kept; names, addresses and uuids are shorter. */
const maxLength = 128;

export class Interner {
  readonly #pool = new Map<string, string>();
  readonly #sent = new Map<string, string>();

  /** Texts held. */
  get size(): number {
    return this.#pool.size + this.#sent.size;
  }

  /**
   * The server may send the texts back until the returned function is called. Equal texts share the first one, and all
   * are forgotten with it.
   */
  sent(texts: Iterable<string>): () => void {
    const added: string[] = [];
    for (const text of texts) {
      if (text.length <= maxLength || this.#sent.has(text)) continue;
      this.#sent.set(text, text);
      added.push(text);
    }
    return () => {
      for (const text of added) this.#sent.delete(text);
    };
  }

  /** A string equal to `text`, the first one seen where possible. */
  share(text: string): string {
    if (text.length > maxLength) return this.#sent.size === 0 ? text : (this.#sent.get(text) ?? text);
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    if (this.#pool.size >= poolSize) this.#pool.clear();
    this.#pool.set(text, text);
    return text;
  }
}
