import { describe, expect, test } from "@jest/globals";
import type { RowChange } from "../../ovsdb/session.ts";
import { toUuid } from "../../ovsdb/description.ts";
import { StringSet } from "../../ovsdb/string-set.ts";
import { InFlight } from "./in-flight.ts";
import type { Northbound, NorthboundRow } from "../rows/schema.ts";
import { northboundOperations as operation } from "../rows/schema.ts";

type Change = RowChange<Northbound, "Address_Set">;

const uuid = toUuid("11111111-1111-4111-8111-111111111111");
const ids = new Map([["k8s.ovn.org/id", "one"]]);
const rowOf = (...addresses: readonly string[]): NorthboundRow<"Address_Set"> => ({
  name: "set",
  addresses: StringSet.of(addresses),
  external_ids: ids,
});
const came = (...addresses: readonly string[]): Change => ({
  table: "Address_Set",
  uuid,
  before: null,
  after: rowOf(...addresses),
  columns: new Map(),
});
const moved = (columns: Change["columns"], row = rowOf()): Change => ({
  table: "Address_Set",
  uuid,
  before: row,
  after: row,
  columns,
});
const elements = (...addresses: readonly string[]): Change["columns"] =>
  new Map([["addresses", new Set(addresses)]]);

function sent(...operations: Parameters<InFlight["expect"]>[0]): InFlight {
  const inFlight = new InFlight();
  inFlight.expect(operations);
  return inFlight;
}

const insert = operation.insert("Address_Set", { name: "set", addresses: ["a", "b"], external_ids: ids });
const mutate = operation.mutate("Address_Set", uuid, [
  { column: "addresses", mutator: "delete", value: ["a"] },
  { column: "addresses", mutator: "insert", value: ["b", "c"] },
]);
const update = operation.update("Address_Set", uuid, { external_ids: ids });

describe("what this commit has sent comes back", () => {
  test("an inserted row, once", () => {
    const inFlight = sent(insert);
    expect(inFlight.isFresh("set")).toBe(false);
    expect(inFlight.hear(came("b", "a"))).toBe(true);
    expect(inFlight.isFresh("set")).toBe(true);
    expect(inFlight.hear(came("b", "a"))).toBe(false);
  });

  test("elements that come and go, once", () => {
    const inFlight = sent(mutate);
    expect(inFlight.hear(moved(elements("a", "b", "c")))).toBe(true);
    expect(inFlight.hear(moved(elements("a", "b", "c")))).toBe(false);
  });

  test("two operations on one row, as one change", () => {
    const columns = new Map([...elements("a", "b", "c"), ["external_ids", null] as const]);
    expect(sent(update, mutate).hear(moved(columns))).toBe(true);
    expect(sent(mutate).hear(moved(columns))).toBe(false);
    expect(sent(update, mutate).hear(moved(elements("a", "b", "c")))).toBe(false);
  });
});

describe("what another client did is looked at", () => {
  test("a row of another size or with other ids", () => {
    expect(sent(insert).hear(came("a"))).toBe(false);
    const other = { ...rowOf("a", "b"), external_ids: new Map([["k8s.ovn.org/id", "two"]]) };
    expect(sent(insert).hear({ ...came(), after: other })).toBe(false);
  });

  test("fewer, more or other elements", () => {
    for (const change of [elements("a", "b"), elements("a", "b", "c", "d"), elements("a", "b", "d")])
      expect(sent(mutate).hear(moved(change))).toBe(false);
  });

  test("another value", () => {
    const row = { ...rowOf(), external_ids: new Map([["k8s.ovn.org/id", "two"]]) };
    expect(sent(update).hear(moved(new Map([["external_ids", null]]), row))).toBe(false);
  });

  test("a row that goes, and everything when the commit is over", () => {
    expect(sent(mutate).hear({ ...moved(elements("a", "b", "c")), after: null })).toBe(false);
    const inFlight = sent(insert, mutate);
    inFlight.clear();
    expect(inFlight.hear(came("a", "b"))).toBe(false);
    expect(inFlight.hear(moved(elements("a", "b", "c")))).toBe(false);
  });
});

test("references to rows of the same transaction are never found equal: their uuids are the server's to give", () => {
  const group = operation.mutate("Port_Group", uuid, [
    { column: "acls", mutator: "insert", value: [{ named: "row0" }] },
  ]);
  const row: NorthboundRow<"Port_Group"> = {
    name: "group",
    ports: new Set(),
    acls: new Set(),
    external_ids: ids,
  };
  const columns = new Map([["acls", new Set(["22222222-2222-4222-8222-222222222222"])]]);
  expect(sent(group).hear({ table: "Port_Group", uuid, before: row, after: row, columns })).toBe(false);
});
