import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { union } from "../../lib/ascending.ts";
import { StringSet, symmetricDifference } from "./string-set.ts";

/** Of all lengths, including the empty string, and with characters just above and below the separator. */
const element = fc.oneof(
  fc.constantFrom(
    "",
    "\u0001",
    "a",
    "aa",
    "ab",
    "b",
    "10.0.0.1",
    "10.0.0.10",
    "10.0.0.100",
    "é",
    "\u{1f600}",
  ),
  fc.ipV4(),
  fc.string().filter((text) => !text.includes("\0")),
);
const elements = fc.array(element, { maxLength: 300 });

describe("a set of strings", () => {
  test("answers as a Set, whatever has come and gone", () => {
    fc.assert(
      fc.property(elements, fc.array(fc.array(element, { maxLength: 40 })), (first, rounds) => {
        const model = new Set(first);
        const set = StringSet.of(first);
        for (const round of rounds) {
          const distinct = [...new Set(round)];
          set.toggle(distinct);
          for (const one of distinct) if (!model.delete(one)) model.add(one);
          expect(set.size).toBe(model.size);
          for (const one of [...round, ...first]) expect(set.has(one)).toBe(model.has(one));
        }
        const sorted = [...model].sort();
        expect([...set]).toEqual(sorted);
        expect(set.isExactly(sorted)).toBe(true);
        expect(StringSet.of(sorted).isExactly(set.toArray())).toBe(true);
      }),
    );
  });

  test("is exactly a list only when nothing is missing and nothing more is there", () => {
    fc.assert(
      fc.property(elements, elements, (one, other) => {
        const [a, b] = [new Set(one), new Set(other)];
        const sorted = [...b].sort();
        const isSame = a.size === b.size && a.isSubsetOf(b);
        expect(StringSet.of(one).isExactly(sorted)).toBe(isSame);
        expect(new Set(symmetricDifference(StringSet.of(one), StringSet.of(other)))).toEqual(
          a.symmetricDifference(b),
        );
      }),
    );
  });

  test("is compared with a list as often as that is asked, and follows its own changes", () => {
    const list = Array.from({ length: 50 }, (_, at) => `10.0.1.${at + 100}`);
    const [one, other] = [StringSet.of(list), StringSet.of([...list, "10.0.2.1"])];
    for (const expected of [true, true]) expect(one.isExactly(list)).toBe(expected);
    for (const expected of [false, false]) expect(other.isExactly(list)).toBe(expected);
    one.toggle(["10.0.1.120"]);
    other.toggle(["10.0.2.1"]);
    expect(one.isExactly(list)).toBe(false);
    expect(other.isExactly(list)).toBe(true);
    expect([...one]).toEqual(list.filter((element) => element !== "10.0.1.120"));
    expect([...other]).toEqual(list);
  });

  test("the union of ascending lists is one ascending list", () => {
    fc.assert(
      fc.property(fc.array(elements, { maxLength: 4 }), (lists) => {
        const sorted = lists.map((list) => [...new Set(list)].sort());
        expect(union(sorted)).toEqual([...new Set(lists.flat())].sort());
      }),
    );
  });

  test("refuses what it could not tell apart", () => {
    for (const elements of [["a\0b"], ["\0"], ["a", "b\0", "c"]])
      expect(() => StringSet.of(elements)).toThrow(RangeError);
    expect(() => {
      StringSet.of(["a"]).toggle(["a\0b"]);
    }).toThrow(RangeError);
  });
});
