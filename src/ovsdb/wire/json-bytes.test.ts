import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { JsonPart, messageParts } from "./json-bytes.ts";

test("a message reads the same, whatever of its lists is encoded already", () => {
  const run = fc.record({ values: fc.array(fc.jsonValue(), { minLength: 1 }), encoded: fc.boolean() });
  const member = fc.record({
    name: fc.string(),
    list: fc.array(run),
    value: fc.jsonValue(),
    isList: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.uniqueArray(member, { selector: ({ name }) => name }), (members) => {
      const plain: Record<string, unknown> = {};
      const encoded: Record<string, unknown> = {};
      for (const { name, list, value, isList } of members) {
        plain[name] = isList ? list.flatMap((one) => one.values) : value;
        const parts = list.flatMap((one): unknown[] =>
          one.encoded ? [new JsonPart(one.values.map((each) => JSON.stringify(each)))] : one.values,
        );
        encoded[name] = isList ? parts : value;
      }
      expect(Buffer.concat(messageParts(encoded)).toString()).toBe(JSON.stringify(plain));
    }),
  );
});

test("a short message is one part, and a long one is not copied", () => {
  const list = new JsonPart(["1", "2"]);
  expect(messageParts({ id: 1, params: ["a", list, "b"] }).map(String)).toEqual([
    '{"id":1,"params":["a",1,2,"b"]}',
  ]);
  const long = new JsonPart([JSON.stringify("x".repeat(1 << 16))]);
  const parts = messageParts({ id: 1, params: [long] });
  expect(parts).toContain(long.json);
  expect(JSON.parse(Buffer.concat(parts).toString())).toEqual({ id: 1, params: ["x".repeat(1 << 16)] });
});
