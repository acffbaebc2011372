// Sets that policies share, one for each selector and family, on a real ovsdb-server: with ClusterNetworkPolicies and a kind
// of tests beside them. No client ever sees an ACL in force that names a set which is not there.

import { afterEach, describe, expect, test } from "@jest/globals";
import { dialects as product } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { Actual } from "../../src/nbdb/actual/actual.ts";
import { keys, selectorOwnerType } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { ownedRows, removeOwnedRows } from "../../src/nbdb/write/cleanup.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { ownersOf } from "../../src/policy/contracts/dialect.ts";
import { tiers } from "../../src/policy/ir.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { cnp, podsWith } from "../support/policies.ts";
import { byOrder } from "../support/ranked-places.ts";
import { toyDialect } from "../support/toy-dialect.ts";

const toy = toyDialect({
  group: "toys.example.com",
  namespaced: true,
  tier: tiers.namespaced,
  ownerType: "Toy",
});
const installed = [...product, toy];
const kinds = ownersOf(installed);
const owners = rowOwners(kinds);
const options = { families: ["v4" as const], zone: null, installed };

const facts = [
  namespace("a", {}),
  ...["web", "db", "ops"].map((app, n) => pod("a", app, { labels: { app }, ips: [`10.0.0.${n}`] })),
];
const anyOf = (...apps: readonly string[]) => apps.map((app) => podsWith({}, { app }));
const admin = (name: string, from: readonly string[], change: object = {}) =>
  cnp(name, { ingress: [{ action: "Deny", from: anyOf(...from), ...change }] });
const first = admin("first", ["web", "db"]);
const second = admin("second", ["db"]);
const other = toy.policy("third", { app: "web", from: "db" }, "a");
const world = [...facts, first, second, other];

await describeWithOvn("sets that policies share", () => {
  const dangling: string[] = [];
  const database: Database = new Database({
    ports: ["a_web", "a_db", "a_ops", "a_six"],
    open: (remote) => openNorthbound(remote, {}, { installed }),
    watch: (session) => {
      session.subscribe({
        changed: () => {
          const { ACL, Address_Set, Port_Group } = rows();
          const sets = new Set(Address_Set.map(({ name }) => name));
          // ACLs act on the switches of their group's ports: of a group that was written ahead none acts.
          const acting = new Set(Port_Group.flatMap(({ ports, acls }) => (ports.length > 0 ? acls : [])));
          for (const { match } of ACL.filter((row) => acting.has(row.external_ids[keys.id] ?? "")))
            for (const [, name = ""] of match.matchAll(/\$(\w+)/g)) if (!sets.has(name)) dangling.push(match);
        },
      });
    },
  });
  afterEach(() => {
    expect(dangling.splice(0)).toEqual([]);
  });

  async function runFrom(source: MemorySource, weight?: number, more: object = {}): Promise<TestController> {
    return database.settled(source, {
      ...options,
      transactionWeight: weight,
      ...more,
    });
  }

  const run = (objects: readonly WorldObject[], weight?: number) =>
    runFrom(new MemorySource(objects), weight);
  const rows = () => byOrder(actualTables(database.session.cache, owners));
  const fresh = (objects: readonly WorldObject[]) => byOrder(freshTables(objects, options));
  /** Addresses by the selector that a set shows. */
  const sets = () =>
    new Map(rows().Address_Set.map((row) => [row.external_ids["selector"] ?? "", row.addresses] as const));
  const shown = (app: string) => `namespaces; pods app=${app}`;
  const nameOf = (app: string) =>
    fresh([...facts, admin("any", [app])])
      .Address_Set.map(({ name }) => name)
      .join(" ");
  const take = (name: string) =>
    database.ovn.nbctl("create", "Address_Set", `name=${name}`, "addresses=9.9.9.9");

  test.each([undefined, 1])(
    "two policies and two kinds name one set; a restart writes nothing (%s)",
    async (weight) => {
      const controller = await run(world, weight);
      expect(rows()).toEqual(fresh(world));
      expect(sets()).toEqual(
        new Map([
          [shown("web"), ["10.0.0.0"]],
          [shown("db"), ["10.0.0.1"]],
        ]),
      );
      for (const { external_ids: ids } of rows().Address_Set)
        expect(ids[keys.ownerType]).toBe(selectorOwnerType);
      const matches = rows().ACL.map(({ match }) => match);
      expect(matches).toHaveLength(3);
      for (const match of matches) expect(match).toContain(`$${nameOf("db")}`);
      expect([...controller.settled].sort()).toEqual([first, second, other].map(keyOf).sort());
      await database.restart();
      await run(world, weight);
      expect(database.session.stats.operations).toBe(0);
    },
  );

  test("a set comes with its first user and goes with its last, of whatever kind", async () => {
    const { source, loop } = await run(facts);
    const step = async (change: () => void): Promise<readonly string[]> => {
      change();
      await loop.idle();
      expect(rows()).toEqual(fresh(source.objects()));
      return [...sets().keys()].sort();
    };
    const [web, db] = [shown("web"), shown("db")];
    expect(
      await step(() => {
        source.set(other);
      }),
    ).toEqual([db]);
    expect(
      await step(() => {
        source.set(first);
      }),
    ).toEqual([db, web]);
    expect(
      await step(() => {
        source.delete(keyOf(other));
      }),
    ).toEqual([db, web]);
    expect(
      await step(() => {
        source.set(admin("first", ["web"]));
      }),
    ).toEqual([web]);
    expect(
      await step(() => {
        source.set(second);
      }),
    ).toEqual([db, web]);
    expect(
      await step(() => {
        source.delete(keyOf(first));
      }),
    ).toEqual([db]);
    expect(
      await step(() => {
        source.delete(keyOf(second));
      }),
    ).toEqual([]);
  });

  test("a set stays while an ACL names it to which somebody else refers", async () => {
    const { source, loop } = await run([...facts, first]);
    const acl = await database.ovn.nbctl("--bare", "--columns=_uuid", "find", "ACL", "priority>0");
    await database.ovn.nbctl("add", "Logical_Switch", "sw", "acls", acl.trim());
    source.delete(keyOf(first));
    await loop.idle();
    expect(rows().Port_Group).toEqual([]);
    expect([...sets().keys()].sort()).toEqual([shown("db"), shown("web")]);
    await database.ovn.nbctl("clear", "Logical_Switch", "sw", "acls");
    await eventually(() => {
      expect(rows()).toEqual(fresh(facts));
    });
  });

  test("an edit that keeps the selectors touches no set, and one of networks only the match", async () => {
    const { source, loop } = await run(world);
    const written = async (policy: typeof first): Promise<number> => {
      const { operations } = database.session.stats;
      source.set(policy);
      await loop.idle();
      expect(rows()).toEqual(fresh(source.objects()));
      return database.session.stats.operations - operations;
    };
    // The ACL without a protocol goes, and one for TCP comes.
    const ports = { protocols: [{ tcp: { destinationPort: { number: 80 } } }] };
    expect(await written(admin("first", ["web", "db"], ports))).toBe(2);
    expect(await written(admin("first", ["db", "web"], ports))).toBe(0);
    const away = (network: string) =>
      cnp("first", { egress: [{ action: "Deny", to: [{ networks: [network] }] }] });
    source.set(away("192.0.2.0/24"));
    await loop.idle();
    expect(await written(away("198.51.100.0/24"))).toBe(1);
    expect(
      rows()
        .ACL.map(({ match }) => match)
        .join(),
    ).toContain("ip4.dst == {198.51.100.0/24}");
  });

  test("a pod that comes is one element of one set, however many policies use it", async () => {
    const { source, loop } = await run(world);
    const { operations } = database.session.stats;
    source.set(pod("a", "late", { labels: { app: "db" }, ips: ["10.0.0.9"] }));
    await loop.idle();
    expect(database.session.stats.operations - operations).toBe(1);
    expect(sets().get(shown("db"))).toEqual(["10.0.0.1", "10.0.0.9"]);
  });

  test("sets follow the families that the cluster serves", async () => {
    const six = pod("a", "six", { labels: { app: "db" }, ips: ["fd00::1"] });
    const { source, loop } = await runFrom(new MemorySource(world), undefined, { families: null });
    expect(rows()).toEqual(fresh(world));
    source.set(six);
    await loop.idle();
    expect(rows()).toEqual(byOrder(freshTables([...world, six], { ...options, families: ["v4", "v6"] })));
    expect(rows().Address_Set).toHaveLength(4);
  });

  describe("refused by the database", () => {
    test.each([undefined, 1])("a set refuses its users alone; written in pieces of %s", async (weight) => {
      await take(nameOf("web"));
      const controller = await run(world, weight);
      expect([...controller.refused.keys()]).toEqual([keyOf(first)]);
      expect([...controller.settled].sort()).toEqual([second, other].map(keyOf).sort());
      expect(sets().get(shown("db"))).toEqual(["10.0.0.1"]);
      await database.ovn.nbctl("destroy", "Address_Set", nameOf("web"));
      await eventually(() => {
        expect(controller.settled.has(keyOf(first))).toBe(true);
      });
      expect(rows()).toEqual(fresh(world));
    });

    test("one user does not harm the others of its sets", async () => {
      const group = fresh([...facts, second]).Port_Group[0]?.name ?? "";
      await database.ovn.nbctl("create", "Port_Group", `name=${group}`);
      const controller = await run(world);
      expect([...controller.refused.keys()]).toEqual([keyOf(second)]);
      expect([...controller.settled].sort()).toEqual([first, other].map(keyOf).sort());
      expect([...sets().keys()].sort()).toEqual([shown("db"), shown("web")]);
      await database.ovn.nbctl("destroy", "Port_Group", group);
      await eventually(() => {
        expect(rows()).toEqual(fresh(world));
      });
    });

    test("an edit leaves the set that the old ACL names, until it lands", async () => {
      await take(nameOf("ops"));
      const { source, loop, refused } = await run([...facts, first, other]);
      const moved = admin("first", ["ops"]);
      source.set(moved);
      source.delete(keyOf(other));
      await loop.idle();
      expect([...refused.keys()]).toEqual([keyOf(first)]);
      // Nobody wants these two any more; the ACL that stands names both.
      expect([...sets().keys()].sort()).toEqual([shown("db"), shown("web")]);
      await database.ovn.nbctl("destroy", "Address_Set", nameOf("ops"));
      await eventually(() => {
        expect(rows()).toEqual(fresh([...facts, moved]));
      });
    });
  });

  describe("at a start", () => {
    test("sets that nobody uses are swept, those in use are kept as they are", async () => {
      await run([...world, admin("last", ["ops"])]);
      await database.restart();
      await run([...facts, first]);
      expect(rows()).toEqual(fresh([...facts, first]));
      // Three port groups, the set of ops, and a guard of that, unless the database has already told that its ACL is gone.
      expect([4, 5]).toContain(database.session.stats.operations);
    });

    test("the sets that a policy names which cannot be read stay, and no others", async () => {
      const lost = admin("lost", ["ops"]);
      await run([...world, lost]);
      await database.restart();
      const source = new MemorySource(facts);
      source.unreadable.add(keyOf(first));
      const { loop } = await runFrom(source);
      expect(rows().Port_Group).toHaveLength(1);
      expect([...sets().keys()].sort()).toEqual([shown("db"), shown("web")]);
      source.unreadable.clear();
      source.set(pod("a", "late", { ips: ["10.0.0.9"] }));
      await loop.idle();
      expect(rows()).toEqual(fresh(facts));
    });
  });

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["an address too many", ["add", "Address_Set", nameOf("db"), "addresses", "6.6.6.6"]],
    ["an emptied set", ["clear", "Address_Set", nameOf("db"), "addresses"]],
    ["a deleted set", ["destroy", "Address_Set", nameOf("db")]],
    ["a set without its owner", ["clear", "Address_Set", nameOf("db"), "external_ids"]],
    [
      "a set that shows another selector",
      ["set", "Address_Set", nameOf("db"), "external_ids:selector=everything"],
    ],
  ];
  test.each(edits)("%s is put right", async (_, edit) => {
    const controller = await run(world);
    await database.ovn.nbctl(...edit);
    await eventually(async () => {
      await controller.loop.idle();
      const reader = openNorthbound(database.ovn.nb, {}, { installed });
      await reader.opened();
      const tables = byOrder(actualTables(reader.cache, owners));
      await reader.close();
      expect(tables).toEqual(fresh(world));
    });
    // Until the edit was put right the ACLs may well have named nothing: that is the edit's doing.
    dangling.splice(0);
  });

  test("a cleanup of one kind leaves the sets that another kind names", async () => {
    const controller = await run(world);
    await controller.stop();
    const writer = new NorthboundWriter({ session: database.session });
    const ofKind = (type: string) =>
      new Actual(database.session.cache, rowOwners(new Map([...kinds].filter(([own]) => own === type))));
    const admins = ofKind("ClusterNetworkPolicy");
    const counted = () => ownedRows(admins).map(({ addressSets }) => addressSets);
    // Two policies, which have no sets of their own, and the set of web.
    expect(counted().sort()).toEqual([0, 0, 1]);
    await removeOwnedRows(writer, admins);
    expect(rows()).toEqual(fresh([...facts, other]));
    await removeOwnedRows(writer, ofKind("Toy"));
    expect(rows()).toEqual(fresh(facts));
  });
});
