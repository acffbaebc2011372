// A server that is busy tells of several transactions in one update (ovsdb-server does so for a client that reads slowly):
// a row that we inserted then comes back as someone else has edited it, and is put right though it looks like ours.

import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { expect, test } from "@jest/globals";
import { northboundMonitors } from "../../src/nbdb/actual/actual.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import { northbound } from "../../src/nbdb/rows/schema.ts";
import type { Operation, Uuid } from "../../src/ovsdb/index.ts";
import { toUuid } from "../../src/ovsdb/index.ts";
import { FakeDatabase } from "../ovsdb/fake.ts";
import { northboundRules } from "../ovsdb/northbound.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, owners, startController } from "../support/controller.ts";
import { namespace, pod } from "../support/facts.ts";
import { anp } from "../support/policies.ts";
import { sessionWith } from "../support/watched-session.ts";

const world = [
  namespace("a"),
  pod("a", "one", { ips: ["10.0.0.1"] }),
  pod("a", "two", { ips: ["10.0.0.2"] }),
  anp("first", {
    subject: { pods: { namespaceSelector: {}, podSelector: {} } },
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  }),
];
const options = { families: ["v4" as const], zone: null };

type Edit = (database: FakeDatabase<Northbound>) => readonly Operation[];
const swap = (table: string, column: string, gone: unknown, come: unknown): Operation => ({
  op: "mutate",
  table,
  where: [],
  mutations: [
    { column, mutator: "delete", value: [gone] },
    { column, mutator: "insert", value: [come] },
  ],
});
/** Ports without their switches. */
const rules = { ...northboundRules, Logical_Switch_Port: { root: true } };

const port = (database: FakeDatabase<Northbound>, name: string): Uuid => {
  for (const [uuid, row] of database.rows("Logical_Switch_Port"))
    if (row["name"] === name) return toUuid(uuid);
  throw new Error(`no port ${name}`);
};
const edits: readonly (readonly [string, Edit])[] = [
  ["an address in the place of another", () => [swap("Address_Set", "addresses", "10.0.0.1", "6.6.6.6")]],
  [
    "a port in the place of another",
    (database) => [swap("Port_Group", "ports", port(database, "a_one"), port(database, "b_foreign"))],
  ],
  [
    "a rule in the place of another",
    (database) => [
      {
        op: "insert",
        table: "ACL",
        row: { action: "allow", direction: "to-lport", priority: 1, match: "1" },
        uuidName: "x",
      },
      swap("Port_Group", "acls", toUuid([...database.rows("ACL").keys()][0] ?? ""), { named: "x" }),
    ],
  ],
  ["another action", () => [{ op: "update", table: "ACL", where: [], row: { action: "allow" } }]],
];

test.each(edits)("%s", async (_, edit) => {
  const database = new FakeDatabase(northbound, rules);
  database.edit(
    ["a_one", "a_two", "b_foreign"].map((name) => ({
      op: "insert",
      table: "Logical_Switch_Port",
      row: { name },
    })),
  );
  const session = database.open(northboundMonitors(rowOwners(owners)));
  await session.opened();
  let edited = 0;
  const coalescing = sessionWith(session, async (operations) => {
    if (edited++ > 0) return session.transact(operations);
    // Both are done before the session hears of either.
    session.cut();
    const results = database.edit(operations);
    database.edit(edit(database));
    session.restore();
    return results;
  });
  const controller = startController(coalescing, new MemorySource(world), options);
  await controller.loop.idle();
  expect(actualTables(session.cache)).toEqual(freshTables(world, options));
  expect(edited).toBe(2);
  await controller.stop();
});
