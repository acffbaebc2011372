// The addresses that names are answered with: each is given out once, and it is kept when, so that whoever sees it in a row
// can say how long that took. Times are of `performance`.

/** Of networks for measurements (RFC 2544). */
export const mostAddresses = 2 ** 17;
const firstNetwork = 18;

export class Ledger {
  readonly #sentAt = new Map<string, number>();
  #next = 0;

  /** Throws when there are none left. */
  next(): string {
    const at = this.#next++;
    if (at >= mostAddresses) throw new Error(`more than ${mostAddresses} addresses are needed`);
    return `198.${firstNetwork + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
  }

  /** It is sent now. */
  sent(address: string): void {
    this.#sentAt.set(address, performance.now());
  }

  /** When it was sent the last time; null: never. */
  sentAt(address: string): number | null {
    return this.#sentAt.get(address) ?? null;
  }
}
