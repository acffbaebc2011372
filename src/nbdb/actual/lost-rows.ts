// Sets and port groups that another client deleted, by name, with the uuids that matches and references still mean: a new row of
// the name takes the uuid's place (docs/decisions/0006). Written by drift alone.

import type { Uuid } from "../../ovsdb/notation/description.ts";

export class LostRows {
  readonly #uuids = new Map<string, Uuid>();

  get size(): number {
    return this.#uuids.size;
  }

  has(name: string): boolean {
    return this.#uuids.has(name);
  }

  get(name: string): Uuid | undefined {
    return this.#uuids.get(name);
  }

  /** The row was removed. */
  removed(name: string, uuid: Uuid): void {
    this.#uuids.set(name, uuid);
  }

  /** There is a row of the name again. */
  added(name: string): void {
    this.#uuids.delete(name);
  }
}
