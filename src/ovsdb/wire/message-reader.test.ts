import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ProtocolError } from "../notation/errors.ts";
import { MessageSplitter } from "./framing.ts";
import { MessageReader } from "./message-reader.ts";

const roomy = 2 ** 30;

/** The values of a stream that comes in chunks of so many bytes. */
function read(bytes: Buffer, pieceBytes: number, chunkBytes: number): unknown[] {
  const reader = new MessageReader(roomy, pieceBytes);
  const values: unknown[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    values.push(...reader.push(bytes.subarray(at, at + chunkBytes)).map(({ value }) => value));
  }
  expect(reader.unfinished).toBe(0);
  expect(reader.messages).toBe(values.length);
  return values;
}

const name = fc.string({ unit: "binary" }).map((text) => `n${text}`);
const inner = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 6, depthSize: 0.4, withCrossShrink: true },
    fc.oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(name, tie("any"), { noNullPrototype: true, maxKeys: 4 }),
  ),
})).any;
const messages = fc.array(fc.dictionary(name, inner, { noNullPrototype: true, maxKeys: 5 }), {
  minLength: 1,
  maxLength: 3,
});

/** An update of so many rows, as ovsdb-server sends it. */
function update(rows: number): string {
  const uuid = (at: number) => `550e8400-e29b-41d4-a716-${String(at).padStart(12, "0")}`;
  const body = { modify: { match: "ip4.dst == 10.0.0.1".repeat(50) } };
  const table = Object.fromEntries(Array.from({ length: rows }, (_, at) => [uuid(at), body]));
  const tables = { ACL: table, Address_Set: table, Port_Group: {} };
  return JSON.stringify({ id: null, method: "update3", params: [["monid", "x"], "txn", tables] });
}

function stringified(value: unknown): string {
  return JSON.stringify(value);
}

/** Numbers as members' names, a prototype, or members of one name: those are refused in pieces alone. */
function isUnknownToOvsdb(text: string, value: unknown): boolean {
  return /"\d+":|__proto__/.test(text) || JSON.stringify(value) !== text;
}

/** null: a ProtocolError. */
function orRefused<T>(task: () => T): T | null {
  try {
    return task();
  } catch (error) {
    if (error instanceof ProtocolError) return null;
    throw error;
  }
}

describe("a reader of messages", () => {
  test("gives what the whole text says, wherever it is cut", () => {
    fc.assert(
      fc.property(
        messages,
        fc.constantFrom("", " ", "\n\r\t"),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 300 }),
        (sent, gap, pieceBytes, chunkBytes) => {
          const texts = sent.map((one) => JSON.stringify(one, null, gap));
          const expected = texts.map((text): unknown => JSON.parse(text));
          expect(read(Buffer.from(texts.join(gap)), pieceBytes, chunkBytes)).toEqual(expected);
        },
      ),
    );
  });

  test("of any bytes gives what their texts say, or refuses them, wherever they are cut", () => {
    const strange = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '{"a":',
      '"1":{}',
      '"__proto__":{}',
      "1",
    );
    const any = fc.oneof(
      fc.array(strange, { maxLength: 30 }).map((texts) => `{"a":${texts.join("")}}`),
      fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: "binary" })).map((one) => JSON.stringify(one)),
      fc.tuple(fc.jsonValue(), fc.jsonValue()).map((two) => `{"a":${two.map(stringified).join(',"a":')}}`),
    );
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: 20 }), (text, pieceBytes) => {
        const outcome = orRefused(() => new MessageReader(roomy, pieceBytes).push(Buffer.from(text)));
        const whole = orRefused(() => new MessageReader(roomy).push(Buffer.from(text)));
        if (outcome !== null) expect(outcome).toEqual(whole);
        else if (whole?.[0] !== undefined) expect(isUnknownToOvsdb(text, whole[0].value)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("parses no more at once than a piece and a row, whatever the message's length, and each byte once", () => {
    for (const rows of [100, 5000]) {
      const text = update(rows);
      const splitter = new MessageSplitter(roomy, 1 << 16);
      const pieces = splitter.push(Buffer.from(text));
      const lengths = pieces.map((piece) => piece.text.length);
      expect(Math.max(...lengths)).toBeLessThan((1 << 16) + 2000);
      expect(lengths.reduce((sum, length) => sum + length)).toBe(text.length);
      expect(splitter.scanned).toBe(text.length);
      expect(read(Buffer.from(text), 1 << 16, 1 << 16)).toEqual([JSON.parse(text)]);
    }
  });

  test("parses an update of 10,000 rows in pieces unless told otherwise", () => {
    const text = update(5000);
    const parsed: number[] = [];
    const { parse } = JSON;
    JSON.parse = (piece: string): unknown => {
      parsed.push(piece.length);
      return parse(piece) as unknown;
    };
    try {
      const reader = new MessageReader(roomy);
      const [message] = reader.push(Buffer.from(text));
      expect(message?.length).toBe(text.length);
    } finally {
      JSON.parse = parse;
    }
    expect(Math.max(...parsed)).toBeLessThan(300_000);
    expect(parsed.reduce((sum, length) => sum + length)).toBeGreaterThanOrEqual(text.length);
  });

  test("tells how long a message is and how much of it has come", () => {
    const text = update(500);
    const reader = new MessageReader(roomy, 1000);
    expect(reader.push(Buffer.from(text.slice(0, 50_000)))).toEqual([]);
    expect(reader.unfinished).toBe(50_000);
    expect(reader.push(Buffer.from(text.slice(50_000)))[0]?.length).toBe(text.length);
    expect(reader.unfinished).toBe(0);
    const short = new MessageReader(40_000, 1000);
    expect(() => short.push(Buffer.from(text))).toThrow("longer than 40000 bytes");
  });

  const long = `[${"1,".repeat(20)}1]`;
  test.each([
    ["a comma too many", `{"a":{"b":${long},}}`, "not JSON"],
    ["no comma", `{"a":{"b":${long} "c":1}}`, "not JSON"],
    ["a colon after a member", `{"a":{"b":${long}:1}}`, "not JSON"],
    ["another bracket at the end", `{"a":[${long}}}`, "not JSON"],
    ["another bracket inside", `{"a":[${long},{"b":1],${long}]}`, "not JSON"],
    ["a word after a value", `{"a":[${long}null]}`, "not JSON"],
    ["a member twice, the later one open", `{"a":{"b":1},"c":2,"a":{"b":${long}}}`, "told apart"],
    ["names that are numbers", `{"b":{"c":1},"1":{"b":${long}}}`, "told apart"],
    ["a prototype", `{"a":{"b":${long},"__proto__":{"c":1}}}`, "__proto__"],
    ["bytes that are not UTF-8", `{"a":{"b":${long},"c":"\u{e9}"}}`, "not UTF-8"],
  ])("refuses %s in a later piece", (_title, text, message) => {
    const reader = new MessageReader(roomy, 30);
    // As latin1, so that one of them is no UTF-8.
    const push = () => reader.push(Buffer.from(text, "latin1"));
    expect(push).toThrow(ProtocolError);
    expect(() => new MessageReader(roomy, 30).push(Buffer.from(text, "latin1"))).toThrow(message);
  });
});
