// How many objects to ask for in one page of a list. Pages grow with each restart of a list, so that a list slower than
// the server's compaction ends at last, and shrink when a page is longer than is read.

const growth = 4;
const largestGrowth = 20;

export class PageSize {
  readonly #first: number;
  #restarts = 0;
  #largest: number;

  /** `first`: objects of a page of a list that was not restarted. */
  constructor(first: number) {
    this.#first = first;
    this.#largest = first * largestGrowth;
  }

  get objects(): number {
    return Math.min(this.#first * growth ** this.#restarts, this.#largest);
  }

  /** The list begins again: the server no longer has the version that its later pages are of. */
  restarted(): void {
    this.#restarts++;
  }

  /** A page of this size is longer than is read. */
  tooLong(): void {
    this.#largest = Math.max(1, Math.floor(this.objects / 2));
  }

  /** The list was read to its end. */
  complete(): void {
    this.#restarts = 0;
  }
}
