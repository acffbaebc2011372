// What the operator decides of Antrea's rows, on a real ovsdb-server: a program that starts with another setting writes that
// column of the rows that it is about, and nothing else; one that starts with the same setting writes nothing.

import { expect, test } from "@jest/globals";
import { everyDialect, everyKind, installed } from "../../src/dialects.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { actualTables } from "../support/actual-tables.ts";
import { acnp, annp, service } from "../support/antrea.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import { Server, northboundSchema, stopAll } from "../ovsdb/real-server.ts";
import { northbound, persistentNorthbound } from "../../src/nbdb/rows/schema.ts";
import { openSession } from "../../src/ovsdb/index.ts";
import { kindFlags } from "../support/dialects.ts";

type Switches = Parameters<typeof kindFlags>[0];
const options = { families: ["v4" as const], zone: null };
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
  ...["web", "db"].map((app) => service(app, { selector: { app }, ports: [{ port: 80, targetPort: 8080 }] })),
  acnp("through", {
    ...{ priority: 3, appliedTo },
    egress: [{ action: "Drop", toServices: ["web", "db"].map((name) => ({ name, namespace: "shop" })) }],
  }),
  annp("own", { priority: 2, appliedTo, ingress: [{ action: "Drop", enableLogging: true }] }),
  anp("admin", { subject: { namespaces: {} }, ingress: [{ action: "Allow", from: [{ namespaces: {} }] }] }),
];

await describeWithOvn("settings of Antrea's rows", () => {
  const database = new Database({
    ports: ["shop_web"],
    open: (remote) => openNorthbound(remote, {}, { ...options, installed: everyDialect.dialects }),
  });
  const rows = () => actualTables(database.session.cache, rowOwners(everyDialect.owners)).ACL;

  /** A program with these switches starts on the rows that stand; how many operations it writes. */
  async function started(switches: Switches): Promise<number> {
    const { dialects } = installed({ ...everyKind, ...kindFlags(switches) });
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

  test("connections that go on are an option of Antrea's allows alone", async () => {
    await started({});
    const before = rows();
    expect(await started({ antreaPersistent: true })).toBe(2);
    const isOurs = (name: string | null) => /^ACNP:logged:(Ingress|Egress):0/.test(name ?? "");
    expect(before.filter(({ name }) => isOurs(name)).map(({ action }) => action)).toEqual(
      new Array(2).fill("allow-related"),
    );
    expect(before.some(({ name, action }) => name?.startsWith("ANP:") && action === "allow-related")).toBe(
      true,
    );
    expect(rows()).toEqual(
      before.map((row) =>
        isOurs(row.name) ? { ...row, options: { ...row.options, "persist-established": "true" } } : row,
      ),
    );
    expect(await started({ antreaPersistent: true })).toBe(0);
    expect(await started({})).toBe(2);
    expect(rows()).toEqual(before);
  });

  test("a database older than the option is refused where it is asked for, and only there", async () => {
    const server = new Server({ schema: { ...northboundSchema(), version: "7.10.0" } });
    for (const database of [northbound, persistentNorthbound(northbound, "--antrea-persist-established")]) {
      const session = openSession({ remotes: server.remote, database, monitors: { NB_Global: {} } });
      const opened = expect(session.opened());
      if (database === northbound) await opened.resolves.toBeUndefined();
      else
        await opened.rejects.toThrow(
          "OVN_Northbound 7.10.0 is older than 7.11.0, which --antrea-persist-established needs",
        );
      await session.close();
    }
    stopAll();
  });
});
