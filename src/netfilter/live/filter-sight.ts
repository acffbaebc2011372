// What is known of a node's filter, and the readings that keep it so while nothing is written.

import { isOfTools } from "./filter-tools.ts";
import type { LiveFilter } from "./live-filter.ts";

export interface FilterSightOptions {
  readonly filter: LiveFilter;
  /** Is called when the filter is known, also again after it was not. */
  readonly known: () => void;
  /** Is called when another program has changed it, and when it is known again. */
  readonly changed: () => void;
}

export class FilterSight {
  readonly #options: FilterSightOptions;
  #failure = "the packet filter is not read yet";
  #isWriting = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: FilterSightOptions) {
    this.#options = options;
  }

  get isClear(): boolean {
    return this.#options.filter.known !== null;
  }

  /** Why it is not. */
  get failure(): string {
    return this.#failure;
  }

  /** What is known is in doubt, for this reason. */
  lost({ message }: Error): void {
    this.#options.filter.forget();
    this.#failure = message;
  }

  /** Nothing is read meanwhile. */
  async whileWriting<T>(write: () => Promise<T>): Promise<T> {
    this.#isWriting = true;
    try {
      await this.#reading;
      return await write();
    } finally {
      this.#isWriting = false;
    }
  }

  /** Reads all of it. False: a commit is under way. */
  async lookAgain(): Promise<boolean> {
    return this.#look(() => this.#read());
  }

  /** Reads all of it where a set has another size than is known. */
  async glance(): Promise<void> {
    if (!this.isClear) return;
    await this.#look(async () => {
      if (await this.#options.filter.hasOtherSizes()) await this.#read();
    });
  }

  async #look(read: () => Promise<void>): Promise<boolean> {
    if (this.#isWriting) return false;
    this.#reading = read().catch((error: unknown) => {
      if (!isOfTools(error)) throw error;
      this.lost(error);
    });
    await this.#reading;
    return true;
  }

  async #read(): Promise<void> {
    const { filter, known, changed } = this.#options;
    const wasClear = this.isClear;
    const isOther = await filter.read();
    if (!wasClear) known();
    if (isOther) changed();
  }
}
