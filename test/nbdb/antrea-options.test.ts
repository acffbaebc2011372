// What the operator decides of Antrea's rows, on a real ovsdb-server: a program that starts with another setting writes that
// column of the rows that it is about, and nothing else; one that starts with the same setting writes nothing.

import { expect, test } from "@jest/globals";
import { every, installed } from "../../src/dialects.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { actualTables } from "../support/actual-tables.ts";
import { acnp, annp } from "../support/antrea.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";

type Switches = Parameters<typeof installed>[0];
const options = { families: ["v4" as const], zone: null };
const kinds = { admin: true, networkPolicy: true, antrea: true };
const appliedTo = [{ podSelector: {} }];
const from = [{ podSelector: {} }];
const objects = [
  ...[namespace("shop"), node("node-1"), pod("shop", "web", { ips: ["10.0.0.5"], node: "node-1" })],
  acnp("logged", {
    ...{ priority: 1, appliedTo },
    ingress: [
      { action: "Allow", from, enableLogging: true, logLabel: "in" },
      { action: "Drop", from },
    ],
    egress: [{ action: "Allow", to: from }, { action: "Pass" }],
  }),
  annp("own", { priority: 2, appliedTo, ingress: [{ action: "Drop", enableLogging: true }] }),
  anp("admin", { subject: { namespaces: {} }, ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
];

await describeWithOvn("settings of Antrea's rows", () => {
  const database = new Database({
    ports: ["shop_web"],
    open: (remote) => openNorthbound(remote, {}, { ...options, installed: every.dialects }),
  });
  const rows = () => actualTables(database.session.cache, rowOwners(every.owners)).ACL;

  /** A program with these switches starts on the rows that stand; how many operations it writes. */
  async function started(switches: Partial<Switches>): Promise<number> {
    const { dialects } = installed({ ...kinds, ...switches });
    await database.restart();
    await database.settled(new MemorySource(objects), { ...options, installed: dialects });
    expect(rows()).toEqual(freshTables(objects, { ...options, installed: dialects }).ACL);
    return database.session.stats.operations;
  }

  test("another severity is written to the rows of logged rules alone", async () => {
    await started({});
    const before = rows();
    expect(before.filter(({ log }) => log).map(({ severity }) => severity)).toEqual(["info", "info"]);
    expect(await started({ antreaSeverity: "warning" })).toBe(2);
    expect(rows()).toEqual(before.map((row) => (row.log ? { ...row, severity: "warning" } : row)));
    expect(await started({ antreaSeverity: "warning" })).toBe(0);
  });
});
