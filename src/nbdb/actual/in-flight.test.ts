import { describe, expect, test } from "@jest/globals";
import type { RowChange } from "../../ovsdb/session/session.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import { toUuid } from "../../ovsdb/notation/description.ts";
import { StringSet } from "../../ovsdb/notation/string-set.ts";
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

function acl(id: string): NorthboundRow<"ACL"> {
  return {
    name: "rule",
    action: "drop",
    direction: "to-lport",
    priority: 1,
    tier: 1,
    match: "ip4",
    log: false,
    severity: null,
    meter: "acl-logging",
    options: new Map(),
    external_ids: new Map([["k8s.ovn.org/id", id]]),
    sample_new: null,
    sample_est: null,
  };
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
  test("a row of another size, with another element or with other ids", () => {
    expect(sent(insert).hear(came("a"))).toBe(false);
    expect(sent(insert).hear(came("a", "foreign"))).toBe(false);
    expect(sent(insert).isFresh("set")).toBe(false);
    const other = { ...rowOf("a", "b"), external_ids: new Map([["k8s.ovn.org/id", "two"]]) };
    expect(sent(insert).hear({ ...came(), after: other })).toBe(false);
  });

  test("fewer, more or other elements", () => {
    for (const change of [elements("a", "b"), elements("a", "b", "c", "d"), elements("a", "b", "d")])
      expect(sent(mutate).hear(moved(change))).toBe(false);
  });

  test("an element that was sent and did not change beside one that was not sent", () => {
    for (const operations of [[mutate], [mutate, mutate], [update, mutate]])
      expect(sent(...operations).hear(moved(elements("b", "c", "d")))).toBe(false);
    expect(sent(mutate, mutate).hear(moved(elements("a", "b", "c", "d", "e", "f")))).toBe(false);
  });

  test("a column that was not sent, and one that was sent and did not change", () => {
    expect(sent(mutate).hear(moved(new Map([["external_ids", null]])))).toBe(false);
    expect(sent(update, mutate).hear(moved(new Map([["external_ids", null]])))).toBe(false);
    expect(sent(update).hear(moved(elements("a")))).toBe(false);
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

describe("a port group that is inserted with its rules", () => {
  const [port, otherPort, rule, otherRule] = ["a", "b", "c", "d"].map((digit) =>
    toUuid(uuid.replaceAll("1", digit)),
  ) as [Uuid, Uuid, Uuid, Uuid];
  const operations = [
    operation.insert("Port_Group", {
      name: "group",
      ports: [port],
      acls: [{ named: "row0" }, otherRule],
      external_ids: ids,
    }),
    operation.insert("ACL", acl("first"), "row0"),
  ];
  /** The server's update: these rules, and before them the group with these ports and references. */
  function update(rules: readonly Uuid[], ports: readonly Uuid[], acls: readonly Uuid[]): boolean {
    const inFlight = sent(...operations);
    const group = { name: "group", ports: new Set(ports), acls: new Set(acls), external_ids: ids };
    const changes = [
      { table: "Port_Group", uuid, before: null, after: group, columns: new Map() } as const,
      ...rules.map((at) => {
        return { table: "ACL", uuid: at, before: null, after: acl("first"), columns: new Map() } as const;
      }),
    ];
    inFlight.identify(changes);
    const [known] = changes.map((change) => inFlight.hear(change));
    return known ?? false;
  }

  test("comes back with their uuids", () => {
    expect(update([rule], [port], [otherRule, rule])).toBe(true);
  });

  test("with another port or another rule is looked at", () => {
    expect(update([rule], [otherPort], [otherRule, rule])).toBe(false);
    expect(update([rule], [port], [otherRule, otherPort])).toBe(false);
    expect(update([rule], [port], [rule, otherPort])).toBe(false);
  });

  test("is looked at when its rule did not come, or twice", () => {
    expect(update([], [port], [otherRule, rule])).toBe(false);
    expect(update([rule, otherPort], [port], [otherRule, rule])).toBe(false);
  });
});

test("mutated references to rows of the same transaction are never found equal: their uuids are the server's to give", () => {
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

describe("an ACL and its Sample", () => {
  const [rule, sample, other] = ["2", "3", "4"].map((digit) => toUuid(uuid.replaceAll("1", digit)));
  const insertSample = operation.insert("Sample", { metadata: 7, collectors: [] }, "row0");
  const refers = { sample_new: { named: "row0" }, sample_est: { named: "row0" } };
  const samples = [{ table: "Sample", uuid: sample, before: null, columns: new Map() }].map((one) => ({
    ...one,
    after: { metadata: 7, collectors: new Set<Uuid>() },
  })) as readonly RowChange<Northbound>[];

  test.each([
    ["come back with the Sample's uuid", sample, true],
    ["with another one are looked at", other, false],
  ])("%s", (_, referred, isHeard) => {
    const row = { ...acl("first"), sample_new: referred ?? null, sample_est: referred ?? null };
    const inserted = {
      table: "ACL",
      uuid: rule ?? uuid,
      before: null,
      after: row,
      columns: new Map(),
    } as const;
    const inserting = sent(insertSample, operation.insert("ACL", { ...acl("first"), ...refers }, "row1"));
    inserting.identify([...samples, inserted]);
    expect(inserting.hear(inserted)).toBe(isHeard);
    const edited = { ...inserted, before: row, columns: new Map([["sample_new", null], ["sample_est", null]]) }; // prettier-ignore
    const editing = sent(insertSample, operation.update("ACL", rule ?? uuid, refers));
    editing.identify([...samples, edited]);
    expect(editing.hear(edited)).toBe(isHeard);
  });
});
