// Remembers what was read from the raw objects of rules. At an edit the engine keeps the earlier raw objects of
// everything that did not change, so a dialect reads only the rules that did.

import type { Rule } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";

interface Entry {
  readonly index: number;
  readonly rule: Rule;
}

/** For rules of one list of one kind. `read` must depend on nothing but the field and the index. */
export class RuleMemo {
  readonly #rules = new WeakMap<object, Entry>();

  /** A rule with findings is read anew each time, so that it reports them each time. */
  read(field: Field, index: number, read: (field: Field, index: number) => Rule | null): Rule | null {
    const { raw, findings } = field;
    if (typeof raw !== "object" || raw === null) return read(field, index);
    const known = this.#rules.get(raw);
    if (known?.index === index) return known.rule;
    const rule = read(field, index);
    if (rule !== null && field.findings === findings) this.#rules.set(raw, { index, rule });
    return rule;
  }
}
