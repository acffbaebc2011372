import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ProtocolError } from "../notation/errors.ts";
import { MessageSplitter } from "./framing.ts";

const roomy = 2 ** 30;

function split(bytes: Buffer, cuts: readonly number[]): unknown[] {
  const splitter = new MessageSplitter(roomy);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  const messages = ends.flatMap((end) => {
    const texts = splitter.push(bytes.subarray(from, end)).map(({ text }) => text);
    from = end;
    return texts;
  });
  expect(splitter.scanned).toBe(bytes.length);
  return messages.map((text): unknown => JSON.parse(text));
}

describe("a message splitter", () => {
  test("finds the same messages however the stream is cut", () => {
    const message = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }));
    fc.assert(
      fc.property(
        fc.array(message),
        fc.array(fc.nat()),
        fc.constantFrom("", " ", "\n\r\t"),
        (sent, cuts, gap) => {
          const texts = sent.map((one) => JSON.stringify(one));
          const received = split(Buffer.from(texts.join(gap)), cuts);
          expect(received).toEqual(texts.map((text): unknown => JSON.parse(text)));
        },
      ),
    );
  });

  test("is not misled by braces, quotes and backslashes in strings, cut anywhere", () => {
    const text = String.raw`{"a":"}{\"]\\","日本":["\\\"}",{"b":"]"}]}{"c":1}`;
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut++) expect(split(bytes, [cut])).toHaveLength(2);
    expect(split(bytes, Array.from(bytes.keys()))).toHaveLength(2);
  });

  test("looks at each byte of a 60 MB message once, and joins it once", () => {
    const addresses = Array.from({ length: 3_200_000 }, (_, at) => `10.${at % 250}.0.1`);
    const bytes = Buffer.from(JSON.stringify({ id: 1, result: addresses }).padEnd(60_000_000));
    const splitter = new MessageSplitter(roomy);
    let texts = 0;
    for (let at = 0; at < bytes.length; at += 65_536) {
      texts += splitter.push(bytes.subarray(at, at + 65_536)).length;
    }
    expect([texts, splitter.scanned]).toEqual([1, bytes.length]);
  });

  test.each([
    ["another protocol", "HTTP/1.1 400 Bad Request", 'expected "{" and got "HTTP/1.1 400'],
    ["a closing brace too many", '{"a":1}}', 'expected "{"'],
    ["a list at the top", "[1]", 'expected "{"'],
  ])("refuses %s", (_title, text, message) => {
    expect(() => new MessageSplitter(roomy).push(Buffer.from(text))).toThrow(message);
  });

  test("refuses bytes that are not UTF-8, and messages that are too long", () => {
    const broken = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3]), Buffer.from('"}')]);
    expect(() => new MessageSplitter(roomy).push(broken)).toThrow("not UTF-8");
    const small = new MessageSplitter(10);
    small.push(Buffer.from('{"a":'));
    expect(() => small.push(Buffer.from('"123456"'))).toThrow(ProtocolError);
  });
});
