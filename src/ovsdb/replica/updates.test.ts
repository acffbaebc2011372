import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { UntypedCache } from "./cache.ts";
import { toUuid } from "../notation/description.ts";
import { Interner } from "../notation/interner.ts";
import { noTransaction } from "./monitor.ts";
import type { Atom, ColumnCodec, Value } from "../notation/notation.ts";
import { systemClock } from "../../lib/clock.ts";
import { Replica } from "./replica.ts";
import type { TableCodec } from "../notation/schema.ts";
import { StringSet } from "../notation/string-set.ts";
import { applyDiff, diffRows, type RowData, rowUpdates } from "./updates.ts";

const uuid = toUuid("550e8400-e29b-41d4-a716-446655440000");
const columns: TableCodec = new Map<string, ColumnCodec>([
  ["one", { shape: "one", key: "integer", value: null, composite: false }],
  ["optional", { shape: "optional", key: "string", value: null, composite: false }],
  ["set", { shape: "set", key: "string", value: null, composite: true }],
  ["short", { shape: "set", key: "string", value: null, composite: false }],
  ["map", { shape: "map", key: "string", value: "string", composite: true }],
]);
const tables = new Map([["T", columns]]);
const few = fc.constantFrom("a", "b", "c", "d");
const atoms = fc.uniqueArray(few).map((elements) => StringSet.of(elements));
const pairs = fc
  .dictionary(few, few, { noNullPrototype: true })
  .map((object) => new Map<Atom, Atom>(Object.entries(object)));
const rows = fc.record<Record<string, Value>>({
  one: fc.nat(3),
  optional: fc.option(few),
  set: atoms,
  map: pairs,
});

function copy(row: RowData): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof StringSet ? StringSet.of(value.toArray()) : value,
    ]),
  );
}

function updateOf(body: unknown) {
  return { T: { [uuid]: body } };
}

describe("the algebra of updates", () => {
  test("the difference of two rows makes one the other, and is empty just when they are equal", () => {
    fc.assert(
      fc.property(rows, rows, (from, to) => {
        const result = copy(from);
        const diffs = diffRows(from, to);
        for (const [column, diff] of diffs) {
          const elements = applyDiff(result, column, diff);
          expect(elements === null).toBe(column !== "set");
        }
        expect(result).toEqual(to);
        expect(diffRows(from, copy(from)).size).toBe(0);
      }),
    );
  });

  test("a modify says sets and maps as differences, all else as new values", () => {
    const [update] = rowUpdates(
      updateOf({
        modify: {
          one: 2,
          optional: ["set", []],
          set: "a",
          short: ["set", ["z"]],
          map: [
            "map",
            [
              ["same", "1"],
              ["other", "9"],
              ["new", "3"],
            ],
          ],
        },
      }),
      tables,
      new Interner(),
    );
    const row: Record<string, Value> = {
      one: 1,
      optional: "x",
      set: StringSet.of(["a", "b"]),
      short: StringSet.of(["y"]),
      map: new Map([
        ["same", "1"],
        ["other", "2"],
      ]),
    };
    if (update?.kind !== "modify") throw new Error("not a modify");
    const told = Array.from(update.diffs, ([column, diff]) => [column, applyDiff(row, column, diff)]);
    expect(row).toEqual({
      one: 2,
      optional: null,
      set: StringSet.of(["b"]),
      short: StringSet.of(["z"]),
      map: new Map([
        ["other", "9"],
        ["new", "3"],
      ]),
    });
    expect(Object.fromEntries(told)).toMatchObject({
      set: new Set(["a"]),
      short: new Set(["y", "z"]),
      map: null,
    });
  });

  test("one element more costs one element, whatever the set holds", () => {
    const set = StringSet.of(Array.from({ length: 1000 }, (_, at) => String(at)));
    const row: Record<string, Value> = { set };
    expect(applyDiff(row, "set", { as: "elements", elements: ["new"] })).toEqual(new Set(["new"]));
    expect(row["set"]).toBe(set);
  });

  test.each([
    [{ Nope: {} }, "not monitored"],
    [updateOf({ modify: { nope: 1 } }), "T.nope"],
    [updateOf({ insert: { one: "x" } }), "T.one: expected <integer>"],
    [updateOf({ replace: {} }), "<row-update2>"],
    [{ T: { nobody: { delete: null } } }, "not a uuid"],
  ])("refuses %j", (wire, message) => {
    expect(() => [...rowUpdates(wire, tables, new Interner())]).toThrow(message);
  });
});

describe("a replica", () => {
  /** `now`: of a clock that a slice's end is read from; `applied` hears of every update. */
  function make(now: () => number = () => 0, applied: () => void = () => undefined) {
    const cache = new UntypedCache(new Map([["T", {}]]));
    const told: number[] = [];
    const failures: unknown[] = [];
    const clock = { ...systemClock, now };
    const replica = new Replica(cache, clock, (changes) => {
      told.push(changes.length);
      applied();
    });
    const begin = () => {
      replica.begin(tables, (error) => failures.push(error));
    };
    begin();
    return { cache, told, failures, replica, begin };
  }

  /** Each call of the clock returns a second more: each row ends a slice. */
  function hurried(): () => number {
    let seconds = 0;
    return () => 1000 * seconds++;
  }

  const other = toUuid("550e8400-e29b-41d4-a716-446655440001");
  const initial = { found: false, last: noTransaction, updates: updateOf({ initial: { one: 1 } }) };

  test("keeps updates that come before the monitor's reply, in order", async () => {
    const { cache, told, replica } = make();
    replica.update(updateOf({ modify: { one: 2 } }), null, 0);
    replica.update(updateOf({ modify: { one: 3 } }), uuid, 0);
    await replica.open(initial);
    expect(cache.table("T").get(uuid)?.["one"]).toBe(3);
    expect([told, replica.last]).toEqual([[1, 1, 1], uuid]);
  });

  test.each([
    ["a modify of a row it has not", { modify: { one: 1 } }],
    ["a delete of a row it has not", { delete: null }],
  ])("refuses %s, whole, and asks for everything next time", async (_title, body) => {
    const { cache, told, failures, replica } = make();
    await replica.open({ found: false, last: uuid, updates: {} });
    replica.update({ T: { [other]: { insert: {} }, [uuid]: body } }, uuid, 0);
    replica.update({ T: { [other]: { insert: {} } } }, uuid, 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toEqual([
      expect.objectContaining({ message: expect.stringMatching("cache inconsistency") }),
    ]);
    expect([cache.table("T").size, told, replica.last]).toEqual([0, [], noTransaction]);
  });

  test("absorbs a small update at once", async () => {
    const { cache, replica } = make();
    await replica.open(initial);
    replica.update(updateOf({ modify: { one: 2 } }), uuid, 0);
    expect(replica.absorbing).toBeNull();
    expect(cache.table("T").get(uuid)?.["one"]).toBe(2);
  });

  test("reads a large update in slices and applies it whole, before the next one", async () => {
    const { cache, told, replica } = make(hurried());
    await replica.open(initial);
    replica.update({ T: { [other]: { insert: { one: 7 } }, [uuid]: { modify: { one: 2 } } } }, null, 0);
    replica.update(updateOf({ modify: { one: 3 } }), uuid, 0);
    expect(replica.absorbing).not.toBeNull();
    expect([told, cache.table("T").get(uuid)?.["one"], cache.table("T").get(other)]).toEqual([
      [1],
      1,
      undefined,
    ]);
    await replica.absorbing;
    expect(replica.absorbing).toBeNull();
    expect([told, cache.table("T").get(uuid)?.["one"], replica.last]).toEqual([[1, 2, 1], 3, uuid]);
  });

  test("of a large update, reads, applies and lets go on who waits for it in turns of their own", async () => {
    let turns = 0;
    let applied = 0;
    const { cache, replica } = make(hurried(), () => (applied = turns));
    await replica.open(initial);
    const begun = turns;
    replica.update(updateOf({ modify: { one: 2 } }), null, 0);
    const count = (): void => {
      turns++;
      if (replica.absorbing !== null) setImmediate(count);
    };
    setImmediate(count);
    await replica.absorbing;
    expect(cache.table("T").get(uuid)?.["one"]).toBe(2);
    expect(applied - begun).toBeGreaterThanOrEqual(1);
    expect(turns - applied).toBe(1);
  });

  test("forgets what it was reading when another connection begins", async () => {
    const { cache, told, failures, replica, begin } = make(hurried());
    await replica.open(initial);
    replica.update(updateOf({ modify: { one: 2 } }), uuid, 0);
    const old = replica.absorbing;
    begin();
    await old;
    expect([told, cache.table("T").get(uuid)?.["one"], replica.last, failures]).toEqual([
      [1],
      1,
      noTransaction,
      [],
    ]);
  });
});
