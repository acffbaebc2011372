// Remembers what was read from raw objects. At an edit the engine keeps the earlier raw objects of everything that did not
// change, so a dialect reads only what did.

import type { Field } from "../model/reader.ts";

interface Entry<T> {
  readonly index: number;
  readonly scope: string;
  readonly result: T;
}

/** For values of one kind that are read in one way: `read` must depend on nothing but the field, the index and the scope. */
export class ReadMemo<T> {
  readonly #entries = new WeakMap<object, Entry<T>>();
  readonly #isWhole: (result: T) => boolean;

  /** `isWhole`: whether there is nothing left to report of a result; a result that is not whole is not remembered. */
  constructor(isWhole: (result: T) => boolean = () => true) {
    this.#isWhole = isWhole;
  }

  /** A value with findings is read again each time, so that it reports them each time. */
  read(
    field: Field,
    index: number,
    read: (field: Field, index: number) => T | null,
    /** Whatever else the result depends on; the namespace of an object, for example. */
    scope = "",
  ): T | null {
    const { raw, findings } = field;
    if (typeof raw !== "object" || raw === null) return read(field, index);
    const known = this.#entries.get(raw);
    if (known?.index === index && known.scope === scope) return known.result;
    const result = read(field, index);
    if (result !== null && field.findings === findings && this.#isWhole(result))
      this.#entries.set(raw, { index, scope, result });
    return result;
  }
}
