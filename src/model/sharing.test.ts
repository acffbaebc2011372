// Structural sharing: the result equals the value, field order included, and every part that stayed is the earlier one.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { sharing } from "./objects/json.ts";
import { parseJson } from "./reader.ts";

const text = (value: unknown) => JSON.stringify(value);
/** As a source delivers it: it shares no object with another. */
const fresh = (value: unknown): unknown => parseJson(text(value));

const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(0, "a", null, true), tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__", "constructor"), tie("value")),
})).value;

test("whatever came earlier, the result is the value, text for text", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const earlier = fresh([a, b]);
      const value = fresh([b, a]);
      expect(text(sharing(value, earlier))).toBe(text(value));
      expect(sharing(fresh([a, b]), earlier)).toBe(earlier);
    }),
    { numRuns: 2000 },
  );
});

describe("of an edited value", () => {
  const earlier = { list: [{ port: 80 }, { port: 81 }], other: { a: 1, b: 2 } };

  test("the unedited parts are the earlier objects", () => {
    const shared = sharing(fresh({ ...earlier, list: [{ port: 80 }, { port: 8443 }] }), earlier);
    expect(shared).toEqual({ list: [{ port: 80 }, { port: 8443 }], other: { a: 1, b: 2 } });
    expect(shared).toHaveProperty("other", earlier.other);
    const { list, other } = shared as typeof earlier;
    expect([other === earlier.other, list[0] === earlier.list[0], list === earlier.list]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("a longer, a shorter and a reordered part is a new one", () => {
    for (const list of [[{ port: 80 }], [...earlier.list, { port: 82 }], []])
      expect(text(sharing({ list }, { list: earlier.list }))).toBe(text({ list }));
    expect(text(sharing({ b: 2, a: 1 }, { a: 1, b: 2 }))).toBe(text({ b: 2, a: 1 }));
    expect(text(sharing({ a: 1 }, { a: 1, b: 2 }))).toBe(text({ a: 1 }));
    expect(text(sharing([], {}))).toBe("[]");
  });
});
