// `--address-sets` of AdminNetworkPolicy and its baseline on a real ovsdb-server: the form changes at a restart, in one
// transaction and one more for sets that nobody names any more; nothing is left behind, and the same form writes nothing.

import { afterEach, describe, expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { Actual } from "../../src/nbdb/actual/actual.ts";
import { keys, selectorOwnerType } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import type { AddressSetForm } from "../../src/nbdb/rows/render-mode.ts";
import { addressSetForms } from "../../src/nbdb/rows/render-mode.ts";
import { removeOwnedRows } from "../../src/nbdb/write/cleanup.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { actualTables } from "../support/actual-tables.ts";
import { Database } from "../support/database.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound } from "../support/controller.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, asClusterPolicy, banp, podsWith } from "../support/policies.ts";

const options = { families: ["v4", "v6"] as const, zone: null };
const apps = ["web", "db", "ops"];
const facts = [
  namespace("a", {}),
  ...apps.map((app, n) => pod("a", app, { labels: { app }, ips: [`10.0.0.${n + 1}`, `fd00::${n + 1}`] })),
];
const anyOf = (...names: readonly string[]) => names.map((app) => podsWith({}, { app }));
const first = anp("first", {
  ingress: [
    { action: "Allow", from: anyOf("web", "db") },
    { action: "Deny", from: anyOf("db", "ops"), ports: [{ portNumber: { protocol: "TCP", port: 80 } }] },
  ],
  egress: [{ action: "Deny", to: [...anyOf("db"), { networks: ["0.0.0.0/0", "2001:db8::/32"] }] }],
});
const second = anp("second", { ingress: [{ action: "Pass", from: anyOf("db") }] });
const base = banp({ ingress: [{ action: "Deny", from: anyOf("ops") }] });
/** Of a kind that has one form: it shares with the others where they share. */
const other = asClusterPolicy(anp("other", { ingress: [{ action: "Deny", from: anyOf("web") }] }));
const policies = [first, second, base];
const world = [...facts, ...policies, other];

const otherThan = (form: AddressSetForm): AddressSetForm => (form === "rule" ? "shared" : "rule");

await describeWithOvn("the form of address sets", () => {
  const faults: string[] = [];
  const states: (() => void)[] = [];
  const database: Database = new Database({
    ports: apps.map((app) => `a_${app}`),
    open: (remote) => openNorthbound(remote),
    watch: (session) => {
      session.subscribe({
        changed: () => {
          for (const look of states) look();
        },
      });
    },
  });
  afterEach(() => {
    states.length = 0;
    expect(faults.splice(0)).toEqual([]);
  });

  const rows = (owners = rowOwners(everyDialect.owners)) => actualTables(database.session.cache, owners);
  const fresh = (objects: readonly WorldObject[], addressSets: AddressSetForm) =>
    freshTables(objects, { ...options, addressSets });
  const run = (
    objects: readonly WorldObject[],
    addressSets: AddressSetForm,
    transactionWeight?: number,
  ): Promise<TestController> =>
    database.settled(new MemorySource(objects), { ...options, addressSets, transactionWeight });
  const selectorsOf = () =>
    rows().Address_Set.filter(({ external_ids }) => external_ids[keys.ownerType] === selectorOwnerType);

  /** From now on, in every state: each ACL names sets that are there, and each policy has its ACLs in one form or the other. */
  function watchStates(): void {
    const wholes = addressSetForms.map((form) => idsByPolicy(fresh(world, form)));
    states.push(() => {
      const { ACL, Address_Set } = rows();
      const sets = new Set(Address_Set.map(({ name }) => name));
      for (const { match } of ACL)
        for (const [, name = ""] of match.matchAll(/\$(\w+)/g))
          if (!sets.has(name)) faults.push(`no set ${name} for ${match}`);
      const stands = idsByPolicy(rows());
      for (const policy of wholes[0]?.keys() ?? [])
        if (!wholes.some((whole) => whole.get(policy) === stands.get(policy)))
          faults.push(`${policy} has a part of its ACLs`);
    });
  }

  /** The ids of its ACLs as one text, by the name of ACLs' policy. */
  function idsByPolicy({ ACL }: Tables): ReadonlyMap<string, string> {
    const owner = (ids: Readonly<Record<string, string>>) =>
      `${ids[keys.ownerType] ?? ""} ${ids[keys.name] ?? ""}`;
    const byPolicy = Map.groupBy(ACL, ({ external_ids }) => owner(external_ids));
    const textOf = (acls: Tables["ACL"]) => acls.map(({ external_ids }) => external_ids[keys.id]).sort();
    return new Map([...byPolicy].map(([policy, acls]) => [policy, textOf(acls).join(" ")]));
  }

  describe.each(addressSetForms)("from %s to the other", (form) => {
    const next = otherThan(form);

    test("what takes effect is one transaction, and sets that nobody names go in the next", async () => {
      await run(world, form);
      expect(rows()).toEqual(fresh(world, form));
      await database.restart();
      watchStates();
      await run(world, next);
      expect(rows()).toEqual(fresh(world, next));
      expect(database.session.stats.transactions).toBe(form === "rule" ? 1 : 2);
    });

    test("it is the same in pieces, and back again", async () => {
      await run(world, form, 1);
      await database.restart();
      watchStates();
      await run(world, next, 1);
      expect(rows()).toEqual(fresh(world, next));
      await database.restart();
      await run(world, form, 1);
      expect(rows()).toEqual(fresh(world, form));
    });

    test("a restart in the same form writes nothing", async () => {
      await run(world, form);
      await database.restart();
      await run(world, form);
      expect(database.session.stats.operations).toBe(0);
    });

    test("a policy that cannot be read keeps its form, and what it names, until it can be", async () => {
      await run(world, form);
      const named = rows().ACL.filter(({ name }) => name?.startsWith("ANP:first:") === true);
      await database.restart();
      const source = new MemorySource([...facts, second, base, other]);
      source.unreadable.add(keyOf(first));
      watchStates();
      const { loop } = await database.settled(source, { ...options, addressSets: next });
      expect(rows().ACL).toEqual(expect.arrayContaining(named));
      source.unreadable.clear();
      source.set(first);
      await loop.idle();
      expect(rows()).toEqual(fresh(world, next));
    });

    test("a policy whose rows the database refuses stays as it was", async () => {
      await run(world, form);
      const named = rows().ACL.filter(({ name }) => name?.startsWith("ANP:second:") === true);
      const [own] = fresh([...facts, second], next).Address_Set;
      if (own === undefined) throw new Error("no set");
      // A set of the name that the policy needs in the other form, of nobody.
      const users = form === "shared" ? [second] : [first, second];
      const taken = await database.ovn.nbctl("create", "Address_Set", `name=${own.name}`);
      await database.restart();
      watchStates();
      const controller = await run(world, next);
      expect([...controller.refused.keys()].sort()).toEqual(users.map(keyOf).sort());
      expect(rows().ACL).toEqual(expect.arrayContaining(named));
      await controller.stop();
      await database.ovn.nbctl("destroy", "Address_Set", taken.trim());
      await database.restart();
      await run(world, next);
      expect(rows()).toEqual(fresh(world, next));
    });
  });

  test("shared sets are no AdminNetworkPolicy's, and one selector has one set in every kind", async () => {
    await run(world, "shared");
    const types = new Set(rows().Address_Set.map(({ external_ids }) => external_ids[keys.ownerType]));
    expect([...types]).toEqual([selectorOwnerType]);
    // Three selectors, two families.
    expect(rows().Address_Set).toHaveLength(6);
  });

  describe("a cleanup", () => {
    const only = (...types: readonly string[]) =>
      rowOwners(new Map([...everyDialect.owners].filter(([type]) => types.includes(type))));
    const cleanUp = (...types: readonly string[]) =>
      removeOwnedRows(
        new NorthboundWriter({ session: database.session }),
        new Actual(database.session.cache, only(...types)),
      );

    test("of the kind takes the sets that no other kind names", async () => {
      const controller = await run(world, "shared");
      await controller.stop();
      await cleanUp("AdminNetworkPolicy");
      expect(rows()).toEqual(fresh([...facts, base, other], "shared"));
      await cleanUp("BaselineAdminNetworkPolicy");
      expect(rows()).toEqual(fresh([...facts, other], "shared"));
    });

    test("of the kind that is alone leaves nothing", async () => {
      const controller = await run([...facts, ...policies], "shared");
      await controller.stop();
      expect(selectorsOf()).toHaveLength(6);
      await cleanUp("AdminNetworkPolicy");
      await cleanUp("BaselineAdminNetworkPolicy");
      expect(rows()).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
    });
  });
});
