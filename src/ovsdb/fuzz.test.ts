// Whatever bytes a peer sends: they are messages, or a ProtocolError says why not. However they are cut, the outcome is the
// same. What every later reader gets is decoded or refused with a declared error, and a cache that refuses an update is as
// it was.

import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { UntypedCache } from "./replica/cache.ts";
import { OperationCodec } from "./notation/codec.ts";
import { ProtocolError, SchemaMismatchError, TransactionError } from "./notation/errors.ts";
import { MessageSplitter, maxNesting } from "./wire/framing.ts";
import { Interner } from "./notation/interner.ts";
import { fromWire, toWire } from "./wire/jsonrpc.ts";
import type { ColumnCodec } from "./notation/notation.ts";
import { decodeValue, excerpt } from "./notation/notation.ts";
import type { Operation } from "./notation/operation.ts";
import { matchSchema, parseSchema } from "./notation/schema.ts";
import { rowUpdates } from "./replica/updates.ts";

const numRuns = 500;
const limit = 4096;

/** The messages of a stream and why it ended: what a peer can cause. Throws what no peer may cause. */
function read(bytes: Buffer, cuts: readonly number[]): readonly string[] {
  const splitter = new MessageSplitter(limit);
  const outcome: string[] = [];
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  try {
    for (const end of ends) {
      outcome.push(...splitter.push(bytes.subarray(from, end)).map(({ text }) => text));
      from = end;
      if (splitter.unfinished > limit) throw new Error(`${splitter.unfinished} bytes are kept`);
    }
    return [...outcome, `unfinished ${splitter.unfinished}`];
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return outcome;
  }
}

/** The value, or null when it was refused with one of the declared errors. */
function orRefused<T>(task: () => T): T | null {
  try {
    return task();
  } catch (error) {
    if (
      error instanceof ProtocolError ||
      error instanceof SchemaMismatchError ||
      error instanceof TransactionError
    ) {
      return null;
    }
    throw error;
  }
}

const value = fc.jsonValue({ stringUnit: "binary", maxDepth: 4 });
const small = fc.jsonValue({ stringUnit: "binary", maxDepth: 1 });
const message = fc.dictionary(fc.string({ unit: "binary" }), value);
/** JSON with numbers that no double holds, and nesting beyond the limit. */
const strangeText = fc.oneof(
  fc.constantFrom("1e999", "-1e999", "123456789012345678901234567890", "0.1e-999", "-0"),
  fc.integer({ min: 1, max: 3 * maxNesting }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.integer({ min: 1, max: 3 * maxNesting }).map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
  value.map((one) => JSON.stringify(one)),
);
const stream = fc
  .array(
    fc.oneof(
      message.map((one) => JSON.stringify(one)),
      strangeText.map((text) => `{"id":1,"result":${text}}`),
      fc.constantFrom("{", "}", "[", '"', "\\", '{"a":"', " ", "\n", "null"),
    ),
    { maxLength: 8 },
  )
  .map((texts) => Buffer.from(texts.join("")));

describe("framing", () => {
  test("gives the same for a stream cut anywhere, at each byte too", () => {
    const cuts = fc.array(fc.nat(), { maxLength: 12 });
    fc.assert(
      fc.property(stream, cuts, (bytes, some) => {
        const each = read(bytes, Array.from(bytes.keys()));
        // A chunk with a fault gives none of its messages: those before it must be the same, as far as they go.
        const whole = read(bytes, some);
        expect(each.slice(0, whole.length)).toEqual(whole);
        expect(read(bytes, []).length).toBeLessThanOrEqual(each.length);
      }),
      { numRuns },
    );
  });

  test("of a truncated message gives nothing, and of garbage nothing or an error", () => {
    fc.assert(
      fc.property(message, fc.nat(), (one, at) => {
        const bytes = Buffer.from(JSON.stringify(one));
        const cut = bytes.subarray(0, at % bytes.length);
        expect(read(cut, [])).toEqual([`unfinished ${cut.length}`]);
      }),
      { numRuns },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat()), (bytes, cuts) => {
        read(Buffer.from(bytes), cuts);
        read(Buffer.concat([Buffer.from('{"a":"'), bytes, Buffer.from('"}')]), cuts);
      }),
      { numRuns },
    );
  });

  test("bounds nesting and length exactly", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    const splitter = () => new MessageSplitter(limit);
    expect(splitter().push(Buffer.from(nested(maxNesting)))).toHaveLength(1);
    expect(() => splitter().push(Buffer.from(nested(maxNesting + 1)))).toThrow("nested deeper than 100");
    const long = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`;
    expect(splitter().push(Buffer.from(long(limit)))).toHaveLength(1);
    expect(() => splitter().push(Buffer.from(long(limit + 1)))).toThrow(`longer than ${limit} bytes`);
    // Depth in a string is no depth.
    expect(splitter().push(Buffer.from(`{"a":"${"[".repeat(1000)}"}`))).toHaveLength(1);
  });
});

const atoms = ["string", "integer", "real", "boolean", "uuid"] as const;
const codec: fc.Arbitrary<ColumnCodec> = fc.record({
  shape: fc.constantFrom("one", "optional", "set", "map"),
  key: fc.constantFrom(...atoms),
  value: fc.option(fc.constantFrom(...atoms)),
  composite: fc.boolean(),
});
const uuid = fc.constantFrom("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440001");
/** Values that nearly are what a server sends. */
const nearly: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  atom: fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("a\0b", 2 ** 53, 2 ** 60, 1e308, -0, 0.5, true, null),
    fc.integer(),
    fc.tuple(fc.constantFrom("uuid", "named-uuid"), fc.oneof(uuid, small)),
    small,
  ),
  set: fc.tuple(fc.constant("set"), fc.array(tie("atom"), { maxLength: 4 })),
  map: fc.tuple(fc.constant("map"), fc.array(fc.array(tie("atom"), { maxLength: 3 }), { maxLength: 3 })),
  any: fc.oneof(tie("atom"), tie("set"), tie("map")),
})).any;
/** Mostly what the columns below hold: an update that is refused early shows little. */
const row = fc.record(
  {
    one: fc.oneof({ weight: 20, arbitrary: fc.integer() }, nearly),
    strings: fc.oneof(
      {
        weight: 9,
        arbitrary: fc.tuple(
          fc.constant("set"),
          fc.array(fc.constantFrom("a", "b", "a", "b", "c\0"), { maxLength: 2 }),
        ),
      },
      nearly,
    ),
    uuids: fc.oneof({ weight: 9, arbitrary: fc.tuple(fc.constant("uuid"), uuid) }, nearly),
    map: fc.oneof({ weight: 9, arbitrary: fc.constant(["map", [["a", "b"]]]) }, nearly),
  },
  { requiredKeys: [] },
);
const rowBody = fc.oneof(
  { weight: 20, arbitrary: fc.record({ insert: row }) },
  { weight: 20, arbitrary: fc.record({ modify: row }) },
  { weight: 3, arbitrary: fc.constant({ delete: null }) },
  fc.record({ initial: row, modify: row, delete: nearly }, { requiredKeys: [] }),
  small,
);
const updates = fc.oneof(
  { weight: 9, arbitrary: fc.record({ T: fc.dictionary(uuid, rowBody, { minKeys: 1, maxKeys: 2 }) }) },
  fc.dictionary(fc.constantFrom("T", "U", "__proto__"), fc.dictionary(fc.oneof(uuid, fc.string()), rowBody)),
  small,
);
const columns = new Map<string, ColumnCodec>([
  ["one", { shape: "one", key: "integer", value: null, composite: false }],
  ["optional", { shape: "optional", key: "string", value: null, composite: false }],
  ["strings", { shape: "set", key: "string", value: null, composite: true }],
  ["uuids", { shape: "set", key: "uuid", value: null, composite: true }],
  ["map", { shape: "map", key: "string", value: "string", composite: true }],
]);

describe("the codec", () => {
  test("reads or refuses any JSON as a message, and writes its answers", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          message,
          value,
          strangeText.map((text): unknown => JSON.parse(text)),
        ),
        (wire) => {
          const read = orRefused(() => fromWire(wire));
          if (read !== null) JSON.stringify(toWire(read));
          const shown = excerpt(wire);
          expect(shown.length).toBeLessThanOrEqual(83);
          const whole = JSON.stringify(wire);
          if (whole.length <= 80 && !shown.includes("Infinity"))
            expect(JSON.parse(shown)).toEqual(JSON.parse(whole));
        },
      ),
      { numRuns },
    );
  });

  test("reads or refuses any value of any column", () => {
    fc.assert(
      fc.property(codec, nearly, (of, wire) => {
        orRefused(() => decodeValue(of, wire, new Interner()));
      }),
      { numRuns: 2000 },
    );
  });

  test("reads or refuses any answer to a transaction", () => {
    const operations: readonly Operation[] = [
      { op: "insert", table: "T", row: {} },
      { op: "delete", table: "T", where: [] },
      { op: "select", table: "T", where: [] },
    ];
    const answer = fc.record(
      { uuid: nearly, count: nearly, rows: fc.oneof(fc.array(row), nearly), error: nearly, details: nearly },
      { requiredKeys: [] },
    );
    const reader = new OperationCodec(new Map([["T", columns]]));
    fc.assert(
      fc.property(
        fc.oneof(fc.array(fc.oneof(answer, value), { minLength: 0, maxLength: 4 }), value),
        (wire) => {
          const results = orRefused(() => reader.decode(operations, wire));
          if (results !== null) expect(results).toHaveLength(operations.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("reads or refuses any schema", () => {
    const type = fc.oneof(
      fc.constantFrom(...atoms),
      fc.record(
        { key: fc.oneof(fc.constantFrom(...atoms), value), value, min: value, max: value },
        { requiredKeys: ["key"] },
      ),
      value,
    );
    const tables = fc.dictionary(
      fc.constantFrom("T", "toString"),
      fc.oneof(
        fc.record({ columns: fc.dictionary(fc.constantFrom("n", "__proto__"), fc.record({ type })) }),
        value,
      ),
    );
    const schema = fc.oneof(fc.record({ name: fc.string(), version: fc.string(), tables }), value);
    const description = { name: "DB", tables: { T: { n: { shape: "one", of: "integer" } } } } as const;
    fc.assert(
      fc.property(schema, (wire) => {
        orRefused(() => matchSchema(description, parseSchema(wire)));
      }),
      { numRuns },
    );
  });
});

test("a cache takes an update whole or not at all", () => {
  const dump = (cache: UntypedCache) =>
    JSON.stringify(
      [...cache.table("T").entries()].map(([key, held]) => [
        key,
        Object.entries(held).map(([name, one]) => [
          name,
          typeof one === "object" && one !== null ? [...one] : one,
        ]),
      ]),
    );
  fc.assert(
    fc.property(fc.array(updates, { maxLength: 6 }), (all) => {
      const cache = new UntypedCache(new Map([["T", {}]]));
      for (const wire of all) {
        const before = dump(cache);
        const changes = orRefused(() =>
          cache.apply([...rowUpdates(wire, new Map([["T", columns]]), new Interner())]),
        );
        if (changes === null) expect(dump(cache)).toBe(before);
      }
    }),
    { numRuns: 2000 },
  );
});
