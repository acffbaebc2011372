// What the Address_Sets of a Northbound database hold, from a monitor of its own: each update says which elements came and went.

import { isRecord } from "../../src/ovsdb/notation/schema.ts";
import { prepare, Wire } from "../observer/wire.ts";

/** Of one set. */
export interface Moved {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** One update, by the UUID of the set. */
export interface SetsChange {
  /** On the clock of `performance`. */
  readonly at: number;
  readonly sets: ReadonlyMap<string, Moved>;
}

export class SetsSight {
  readonly #held = new Map<string, Set<string>>();
  readonly #changed: (change: SetsChange) => void;
  #wire: Wire | null = null;

  private constructor(changed: (change: SetsChange) => void) {
    this.#changed = changed;
  }

  static async open(remote: string, changed: (change: SetsChange) => void): Promise<SetsSight> {
    const sight = new SetsSight(changed);
    const wire = await Wire.open(remote, (params) => {
      sight.#take(params[1]);
    });
    sight.#wire = wire;
    const requests = { Address_Set: [{ columns: ["addresses"] }] };
    sight.#take(await wire.send(prepare("monitor_cond", ["OVN_Northbound", "bench", requests])));
    return sight;
  }

  /** By the UUID of the set, as it is now. */
  held(): ReadonlyMap<string, readonly string[]> {
    return new Map([...this.#held].map(([uuid, addresses]) => [uuid, [...addresses]]));
  }

  /** Addresses in all sets. */
  get size(): number {
    return [...this.#held.values()].reduce((sum, { size }) => sum + size, 0);
  }

  close(): void {
    this.#wire?.close();
  }

  #take(updates: unknown): void {
    const at = performance.now();
    const rows: unknown = isRecord(updates) ? updates["Address_Set"] : null;
    if (!isRecord(rows)) return;
    const sets = new Map(Object.entries(rows).map(([uuid, update]) => [uuid, this.#apply(uuid, update)]));
    this.#changed({ at, sets });
  }

  /** A set that is modified comes with the elements alone that came or went. */
  #apply(uuid: string, update: unknown): Moved {
    const held = this.#held.get(uuid) ?? new Set();
    if (!isRecord(update) || "delete" in update) {
      this.#held.delete(uuid);
      return { added: [], removed: [...held] };
    }
    const row = update["modify"] ?? update["insert"] ?? update["initial"];
    const elements = elementsOf(isRecord(row) ? row["addresses"] : undefined);
    const [removed, added] = [
      elements.filter((one) => held.has(one)),
      elements.filter((one) => !held.has(one)),
    ];
    for (const one of removed) held.delete(one);
    for (const one of added) held.add(one);
    this.#held.set(uuid, held);
    return { added, removed };
  }
}

/** A set of one element is written as the element. */
function elementsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  const [, elements] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return Array.isArray(elements) ? (elements as readonly string[]) : [];
}
