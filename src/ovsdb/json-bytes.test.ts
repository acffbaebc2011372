import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { JsonBytes, messageBytes } from "./json-bytes.ts";

test("a message reads the same, whatever of its lists is encoded already", () => {
  const member = fc.record({
    name: fc.string(),
    list: fc.array(fc.record({ value: fc.jsonValue(), encoded: fc.boolean() })),
    value: fc.jsonValue(),
    isList: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.uniqueArray(member, { minLength: 1, selector: ({ name }) => name }), (members) => {
      const plain: Record<string, unknown> = {};
      const encoded: Record<string, unknown> = {};
      for (const { name, list, value, isList } of members) {
        plain[name] = isList ? list.map((one) => one.value) : value;
        const some = list.map((one) => (one.encoded ? new JsonBytes(one.value) : one.value));
        encoded[name] = isList ? some : value;
      }
      expect(messageBytes(encoded).toString()).toBe(JSON.stringify(plain));
    }),
  );
});
