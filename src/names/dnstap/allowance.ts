// How many bytes of one DNS server are read in a second, over all of its connections.

/** Ten thousand usual answers. It bounds the time that any server can take, whatever it sends. */
export const mostBytesASecond = 2 * 1024 * 1024;

export class Allowance {
  #begun = -Infinity;
  #bytes = 0;

  /** Milliseconds to wait before more is read: 0 while the second has room. `now`: of the Clock. */
  spend(bytes: number, now: number): number {
    if (now - this.#begun >= 1000) {
      this.#begun = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    return this.#bytes <= mostBytesASecond ? 0 : this.#begun + 1000 - now;
  }
}
