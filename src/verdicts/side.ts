// One side of connections in one world: which list of entries each pair of ends meets there. Register every end first, then
// ask. A row is worked out when it is first asked for, for all of its columns at once: each entry takes the columns of its
// peers one step further.

import type { ColumnsInput } from "./ends/columns.ts";
import { Columns } from "./ends/columns.ts";
import type { Entry } from "./entries.ts";
import type { ListId, Lists } from "./lists.ts";
import { Rows } from "./ends/rows.ts";

export interface SideInput extends ColumnsInput {
  readonly lists: Lists;
}

export class Side {
  readonly rows: Rows;
  readonly columns: Columns;
  readonly #extended: Lists["extended"];
  readonly #lists = new Map<number, Int32Array>();
  readonly #marks = new Map<number, Uint8Array | null>();

  constructor({ lists, ...input }: SideInput) {
    this.rows = new Rows(input);
    this.columns = new Columns(input);
    this.#extended = (list, entry) => lists.extended(list, entry);
  }

  /** By column, the list of entries met. */
  listsOf(row: number): Int32Array {
    const known = this.#lists.get(row);
    if (known !== undefined) return known;
    const lists = new Int32Array(this.columns.size);
    const { entries, namespace } = this.rows.at(row);
    for (const entry of entries) this.#step(lists, entry, this.columns.matched(entry, namespace));
    this.#lists.set(row, lists);
    return lists;
  }

  /** By column, 1 where an entry of this world alone is met; null: nowhere. */
  marksOf(row: number): Uint8Array | null {
    const known = this.#marks.get(row);
    if (known !== undefined) return known;
    const { entries, namespace } = this.rows.at(row);
    const changed = entries.filter((entry) => entry.changed);
    const marks = changed.length === 0 ? null : new Uint8Array(this.columns.size);
    for (const entry of changed)
      for (const column of this.columns.matched(entry, namespace)) marks?.fill(1, column, column + 1);
    this.#marks.set(row, marks);
    return marks;
  }

  #step(lists: Int32Array, entry: Entry, columns: readonly number[]): void {
    const next = new Map<ListId, ListId>();
    let [last, lastNext] = [-1, -1];
    for (const column of columns) {
      const list = lists[column] ?? 0;
      // Neighbours have met the same entries as a rule.
      if (list !== last) {
        last = list;
        lastNext = next.get(list) ?? this.#extended(list, entry);
        next.set(list, lastNext);
      }
      lists[column] = lastNext;
    }
  }
}
