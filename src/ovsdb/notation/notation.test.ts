import { describe, expect, test } from "@jest/globals";
import { Interner } from "./interner.ts";
import { type ColumnCodec, decodeValue, encodeValue, type Value } from "./notation.ts";
import { StringSet } from "./string-set.ts";

const uuid = "550e8400-e29b-41d4-a716-446655440000";
const interner = new Interner();

function codec(
  shape: ColumnCodec["shape"],
  key: ColumnCodec["key"],
  value: ColumnCodec["value"] = null,
): ColumnCodec {
  return { shape, key, value, composite: shape === "set" || shape === "map" };
}

const pairs: readonly [string, ColumnCodec, unknown, Value][] = [
  ["a string", codec("one", "string"), "set", "set"],
  ["an integer", codec("one", "integer"), 9007199254740991, 9007199254740991],
  ["a real", codec("one", "real"), 0.5, 0.5],
  ["a uuid", codec("one", "uuid"), ["uuid", uuid], uuid],
  ["an optional that is there", codec("optional", "boolean"), false, false],
  ["an optional that is not", codec("optional", "uuid"), ["set", []], null],
  ["a set", codec("set", "uuid"), ["set", [["uuid", uuid]]], new Set([uuid])],
  ["an empty set", codec("set", "string"), ["set", []], StringSet.of([])],
  ["a set of strings", codec("set", "string"), ["set", ["a", "b"]], StringSet.of(["b", "a"])],
  ["a map", codec("map", "string", "uuid"), ["map", [["a", ["uuid", uuid]]]], new Map([["a", uuid]])],
];

describe("the notation", () => {
  test.each(pairs)("%s is read and written", (_title, type, wire, value) => {
    expect(decodeValue(type, wire, interner)).toEqual(value);
    expect(encodeValue(type.key, type.value, value)).toEqual(wire);
  });

  test("a set of one may come bare, and an array is a set", () => {
    expect(decodeValue(codec("set", "string"), "a", interner)).toEqual(StringSet.of(["a"]));
    expect(decodeValue(codec("set", "uuid"), ["uuid", uuid], interner)).toEqual(new Set([uuid]));
    expect(decodeValue(codec("optional", "string"), ["set", ["a"]], interner)).toBe("a");
    expect(encodeValue("uuid", null, [{ named: "row" }])).toEqual(["set", [["named-uuid", "row"]]]);
  });

  test.each([
    ["an integer that JSON has already rounded", codec("one", "integer"), 9007199254740992, "2^53"],
    ["a fraction for an integer", codec("one", "integer"), 0.5, "<integer>"],
    ["a string for a uuid", codec("one", "uuid"), uuid, "<uuid>"],
    ["two elements where one is allowed", codec("optional", "string"), ["set", ["a", "b"]], "expected one"],
    ["no element where one is needed", codec("one", "string"), ["set", []], "expected one"],
    ["a set for a map", codec("map", "string", "string"), ["set", []], "<map>"],
    ["a pair of three", codec("map", "string", "string"), ["map", [["a", "b", "c"]]], "<pair>"],
  ])("refuses to read %s", (_title, type, wire, message) => {
    expect(() => decodeValue(type, wire, interner)).toThrow(message);
  });

  test("refuses to write what no OVSDB value can be", () => {
    expect(() => encodeValue("integer", null, 2 ** 53)).toThrow(RangeError);
    expect(() => encodeValue("integer", null, 0.5)).toThrow(RangeError);
    expect(() => encodeValue("real", null, NaN)).toThrow(RangeError);
    expect(() => encodeValue("string", null, undefined)).toThrow(TypeError);
    expect(() => encodeValue("string", null, 1n)).toThrow(TypeError);
  });
});
