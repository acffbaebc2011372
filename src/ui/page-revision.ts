// The revision of the page: of its world, and of how much has been computed beside it since. A page that asked for what was
// still being computed asks again when this is another.

import type { CachedValue } from "./background-cache.ts";

export class PageRevision {
  readonly #ofWorld: () => string;
  #computed = 0;

  /** `ofWorld`: another whenever the objects are others. */
  constructor(ofWorld: () => string) {
    this.#ofWorld = ofWorld;
  }

  get ofWorld(): string {
    return this.#ofWorld();
  }

  get now(): string {
    return `${this.#ofWorld()}.${this.#computed}`;
  }

  /** Something has been computed. */
  readonly changed = (): void => {
    this.#computed++;
  };

  /** In the words of the page; the revision is empty where the value is of an earlier world. */
  asOfNow<T>(made: CachedValue<T> | null): CachedValue<T> | null {
    return made === null ? null : { ...made, revision: made.revision === this.ofWorld ? this.now : "" };
  }
}
