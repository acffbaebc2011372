// The reader of match expressions by itself: the text of what it read, read again, is the same; and it never throws anything
// but that it cannot read a text.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MatchError, readInteger } from "../../src/nbdb/audit/match/integers.ts";
import { parseMatch } from "../../src/nbdb/audit/match/parse.ts";
import { addressSets, expressionText } from "./expressions.ts";
import { printExpression } from "./print.ts";

const groups: Readonly<Record<string, readonly string[]>> = {
  source: ["a"],
  target: ["b"],
  stranger: ["c"],
  void: [],
};
const scope = {
  addresses: (name: string) => addressSets[name]?.map(readInteger),
  ports: (name: string) => {
    const ports = groups[name];
    return ports === undefined ? undefined : new Set(ports);
  },
};

/** null: it cannot be read. */
function read(text: string) {
  try {
    return parseMatch(text, scope);
  } catch (error) {
    expect(error).toBeInstanceOf(MatchError);
    return null;
  }
}

describe("a match expression", () => {
  test("that is read, printed and read again is the same", () => {
    let count = 0;
    fc.assert(
      fc.property(expressionText, (text) => {
        const expression = read(text);
        if (expression === null) return;
        count++;
        const printed = printExpression(expression);
        expect({ printed, again: read(printed) }).toEqual({ printed, again: expression });
      }),
      { numRuns: 2000 },
    );
    expect(count).toBeGreaterThan(1000);
  });

  test("of any characters is read or refused", () => {
    const signs = 'abcdef0123456789.:/[](){}<>=!&|,$@"\\ \n'.split(/(?:)/u);
    const words = ["ip4.src", "tcp.dst", "inport", "//", "/*", "*/", "0x"];
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...signs, ...words)).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (whole) => void read(whole)),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["", "the end is no constant"],
    ["inport != @source", "inport may only be tested for equality"],
    ["!ip4", "ip4 may only be tested positively"],
    ["!!1", "! is no constant"],
    ["!tcp.dst == 80", "a comparison behind ! needs parentheses"],
    ["ip4 && tcp || udp", "&& and || together need parentheses"],
    ["ip5.src == 10.0.0.1", "ip5.src is no field"],
    ["reg0 == 1", "reg0 is no field"],
    ["ip4.src == fd00::1", "ip4.src has 32 bits and a constant 128"],
    ["ip4.src == $six", "ip4.src has 32 bits and a constant 128"],
    ["ip4.src == $nowhere", "there is no address set nowhere"],
    ["inport == @nowhere", "there is no port group nowhere"],
    ["inport == 1", "inport is compared with a number"],
    ["tcp.dst == 65536", "tcp.dst has 16 bits and a constant 17"],
    ["tcp.dst < {1, 2}", "only == and != compare with a set"],
    ["ip.proto > 5", "only == and != compare ip.proto"],
    ["tcp.dst", "tcp.dst needs a comparison"],
    ["1 < tcp.dst > 5", "a range has the form x < field < y or x > field > y"],
    ["tcp.dst == 080", "080 begins with a zero"],
    ["tcp.dst[16] == 1", "tcp.dst has no bits 16 to 16"],
    ["(".repeat(101) + "1" + ")".repeat(101), "more than 100 parentheses inside each other"],
  ])("%s: %s", (text, why) => {
    expect(() => parseMatch(text, scope)).toThrow(why);
  });
});
