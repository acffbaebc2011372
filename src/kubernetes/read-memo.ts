// Remembers what was read from raw objects. At an edit the engine keeps the earlier raw objects of everything that did not
// change, so a dialect reads only what did.

import type { Field } from "../model/reader.ts";

interface Entry<T> {
  readonly index: number;
  readonly result: T;
}

/** For values of one kind that are read in one way: `read` must depend on nothing but the field and the index. */
export class ReadMemo<T> {
  readonly #entries = new WeakMap<object, Entry<T>>();

  /** A value with findings is read anew each time, so that it reports them each time. */
  read(field: Field, index: number, read: (field: Field, index: number) => T | null): T | null {
    const { raw, findings } = field;
    if (typeof raw !== "object" || raw === null) return read(field, index);
    const known = this.#entries.get(raw);
    if (known?.index === index) return known.result;
    const result = read(field, index);
    if (result !== null && field.findings === findings) this.#entries.set(raw, { index, result });
    return result;
  }
}
