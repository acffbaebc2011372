// The stack of tiers on a real ovsdb-server: a pass that comes moves every tier behind it in one transaction, and a restart writes
// nothing.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { stack } from "../../src/policy/contracts/tier-layout.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, keyOf, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { cnp, np } from "../support/policies.ts";

const options = {
  ...{ families: ["v4" as const], zone: null, installed: everyDialect.dialects },
  tierLayout: stack,
};
const owners = rowOwners(everyDialect.owners);
const from = [{ namespaces: {} }];
const world: readonly WorldObject[] = [
  namespace("shop"),
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"] }),
  cnp("deny", { priority: 10, ingress: [{ action: "Deny", from }] }),
  cnp("base", { tier: "Baseline", priority: 10, ingress: [{ action: "Deny", from }] }),
  // Without rules: only its isolation shows where its tier is.
  np("isolated", { podSelector: {}, policyTypes: ["Ingress"] }),
];
const passing = cnp("pass", { priority: 20, ingress: [{ action: "Pass", from }] });

await describeWithOvn("the stack of tiers", () => {
  const database: Database = new Database({
    ports: ["shop_web"],
    open: (remote) => openNorthbound(remote, {}, options),
  });
  const rows = () => actualTables(database.session.cache, owners);
  const isolation = () =>
    rows()
      .ACL.filter(({ external_ids }) => external_ids[keys.ownerType] === "NetpolNamespace")
      .map(({ tier }) => tier);

  test("a pass moves all that is behind it at once, and a restart writes nothing", async () => {
    const { loop, source, refused } = await database.settled(new MemorySource(world), options);
    expect(refused.size).toBe(0);
    expect(rows()).toEqual(freshTables(world, options));
    expect(isolation()).toEqual([1, 1]);
    const { transactions } = database.session.stats;
    source.set(passing);
    await loop.idle();
    expect(database.session.stats.transactions - transactions).toBe(1);
    expect(isolation()).toEqual([2, 2]);
    const standing = rows();
    await database.restart();
    const again = await database.settled(new MemorySource([passing, ...world].toReversed()), options);
    expect(database.session.stats.operations).toBe(0);
    expect(rows()).toEqual(standing);
    again.source.delete(keyOf(passing));
    await again.loop.idle();
    expect(isolation()).toEqual([1, 1]);
  });
});
