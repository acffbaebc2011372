// The names that a match has are those that a look at all of its words finds.

import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { namesIn } from "./match-names.ts";

test("sets and groups, each once", () => {
  const match = "outport == @a1 && (ip4.src == {$a2, $a_3} || ip4.src == $a2) && tcp.dst == {80, 443}";
  expect([...namesIn(match)].sort()).toEqual(["$a2", "$a_3", "@a1"]);
  expect([...namesIn("ip4 && $ && @ && $$x && a@b$")].sort()).toEqual(["$x", "@b"]);
  expect(namesIn("")).toEqual(new Set());
});

test("any text: what an expression over all of it finds", () => {
  const text = fc.string({ unit: fc.constantFrom("$", "@", "a", "Z", "0", "_", " ", "-", "é", "🂡") });
  fc.assert(
    fc.property(text, (match) => {
      expect(namesIn(match)).toEqual(new Set(Array.from(match.matchAll(/[$@]\w+/g), ([name]) => name)));
    }),
  );
});
