// Rows of two worlds: what is added, changed and deleted, by name or id; and priorities of which only the order means something.

import { describe, expect, test } from "@jest/globals";
import type { AclRecord, Tables } from "../rows/records.ts";
import { rowChanges } from "./row-changes.ts";

const ids = (id: string) => ({ "k8s.ovn.org/id": id });

function acl(id: string, priority: number, more: Partial<AclRecord> = {}): AclRecord {
  return {
    ...{ name: id, action: "drop", direction: "to-lport", priority, tier: 1, match: "ip4", log: false },
    ...{ severity: null, meter: null, label: 0, options: {}, external_ids: ids(id) },
    ...more,
  };
}

const tables = (...ACL: readonly AclRecord[]): Tables => ({ Port_Group: [], Address_Set: [], ACL });
const asked = { policyOf: () => null, isRanked: ({ priority }: AclRecord) => priority <= 20_000 };
const changed = (old: Tables, next: Tables) =>
  rowChanges({ old, new: next }, asked).changes.map(({ op, row, columns }) => [op, row, columns]);

describe("rows that differ", () => {
  test("by name and id, with the columns that do", () => {
    const group = { name: "g", external_ids: ids("x"), ports: ["p"], acls: ["a"] };
    const set = { name: "s", external_ids: ids("y"), addresses: [] };
    const old = { Port_Group: [group], Address_Set: [set], ACL: [acl("a", 30_000), acl("b", 29_999)] };
    const next = {
      Port_Group: [{ ...group, ports: ["p", "q"] }],
      Address_Set: [],
      ACL: [acl("a", 30_000, { action: "allow-related" }), acl("c", 29_999)],
    };
    const { add, change, delete: gone, changes } = rowChanges({ old, new: next }, asked);
    expect([add, change, gone]).toEqual([1, 2, 2]);
    expect(changes.map(({ op, table, row }) => `${op} ${table} ${row}`)).toEqual([
      "change Port_Group g",
      "delete Address_Set s",
      "change ACL a",
      "delete ACL b",
      "add ACL c",
    ]);
    expect(changes[2]?.columns).toEqual({ action: { old: "drop", new: "allow-related" } });
  });

  test("a documented priority differs by its number", () => {
    expect(changed(tables(acl("a", 30_000)), tables(acl("a", 29_900)))).toEqual([
      ["change", "a", { priority: { old: 30_000, new: 29_900 } }],
    ]);
  });
});

describe("ranked priorities", () => {
  test("other numbers in the same order are no difference: the existing rows keep theirs", () => {
    const old = tables(acl("a", 900), acl("b", 600), acl("c", 300));
    expect(changed(old, tables(acl("a", 950), acl("new", 700), acl("b", 500), acl("c", 100)))).toEqual([
      ["add", "new", expect.anything()],
    ]);
  });

  test("one that moves is one difference, and those it passes are none", () => {
    const old = tables(acl("a", 900), acl("b", 600), acl("c", 300), acl("d", 100));
    expect(changed(old, tables(acl("b", 900), acl("c", 600), acl("d", 300), acl("a", 100)))).toEqual([
      ["change", "a", { priority: { old: 900, new: 100 } }],
    ]);
  });

  test("two of one level that part are a difference, and so is another tier", () => {
    const old = tables(acl("a", 900), acl("b", 900), acl("c", 300));
    const next = tables(acl("a", 900), acl("b", 800), acl("c", 300, { tier: 3 }));
    expect(changed(old, next).map(([, row]) => row)).toEqual(["b", "c"]);
  });
});
