// Units that policies share, on a real ovsdb-server: a set to which the ACLs of several policies refer. It is there before
// the first ACL in force that refers to it and goes after the last, at every moment that any client of the database can see.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import {
  MemorySource,
  freshTables,
  keyOf,
  owners as policies,
  openNorthbound,
  startController,
} from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { sharedSet, sharedUnits } from "../support/shared-set.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";

const options = { families: ["v4" as const], zone: null, ...sharedUnits };
const owners = new Map([...rowOwners(policies), ...sharedUnits.sharedOwners]);

const facts = ["a", "b"].flatMap((tenant, net) => [
  namespace(tenant, { tenant }),
  pod(tenant, "one", { ips: [`10.0.${net}.1`] }),
]);
const policy = (name: string, tenant: string, priority: number) =>
  anp(name, {
    priority,
    subject: namespacesWith({ tenant }),
    ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
  });
const first = policy("shared-first", "a", 1);
const second = policy("shared-second", "b", 2);
const plain = policy("plain", "a", 3);
const world = [...facts, first, second, plain];
const key = ({ name }: { readonly name: string }) =>
  `AdminNetworkPolicy.policy.networking.k8s.io/${name}` as PolicyKey;

/** ACLs act on the switches of their group's ports: of a group that was written ahead none acts. */
const isInForce = ({ ports }: { readonly ports: readonly string[] }): boolean => ports.length > 0;

await describeWithOvn("a set that policies share", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;
  const running: TestController[] = [];
  const dangling: string[] = [];

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    await makeSwitch(ovn, ["a_one", "b_one"]);
    await open();
  });
  afterEach(async () => {
    for (const controller of running.splice(0)) await controller.stop();
    await session.close();
    expect(dangling.splice(0)).toEqual([]);
  });

  async function open(): Promise<void> {
    session = openNorthbound(ovn.nb, {}, sharedUnits);
    session.subscribe({
      changed: () => {
        const { ACL, Address_Set, Port_Group } = actualTables(session.cache, owners);
        const sets = new Set(Address_Set.map(({ name }) => name));
        const acting = new Set(Port_Group.filter(isInForce).flatMap(({ acls }) => acls));
        for (const { match } of ACL.filter((row) => acting.has(row.external_ids[keys.id] ?? "")))
          for (const [, name = ""] of match.matchAll(/\$(\w+)/g)) if (!sets.has(name)) dangling.push(match);
      },
    });
    await session.opened();
  }

  async function restart(): Promise<void> {
    for (const controller of running.splice(0)) await controller.stop();
    await session.close();
    await open();
  }

  async function run(objects: readonly WorldObject[], transactionWeight?: number): Promise<TestController> {
    return await runFrom(new MemorySource(objects), transactionWeight);
  }

  async function runFrom(source: MemorySource, transactionWeight?: number): Promise<TestController> {
    const controller = startController(session, source, { ...options, transactionWeight });
    running.push(controller);
    await controller.loop.idle();
    return controller;
  }

  const rows = () => actualTables(session.cache, owners);
  const shared = () => rows().Address_Set.find(({ name }) => name === sharedSet.name) ?? null;
  const taken = () => ovn.nbctl("create", "Address_Set", `name=${sharedSet.name}`, "addresses=9.9.9.9");

  test.each([undefined, 1])("has what all its users want, written in pieces of %s", async (weight) => {
    const controller = await run(world, weight);
    expect(rows()).toEqual(freshTables(world, options));
    expect(shared()?.addresses).toEqual(["10.0.0.1", "10.0.1.1"]);
    expect([...controller.settled].sort()).toEqual([plain, first, second].map(key).sort());
    await restart();
    await run(world, weight);
    expect(session.stats.operations).toBe(0);
  });

  test("comes with its first user, follows its users and their pods, and goes after the last", async () => {
    const { source, loop } = await run([...facts, plain]);
    expect(shared()).toBeNull();
    source.set(first);
    await loop.idle();
    expect(shared()?.addresses).toEqual(["10.0.0.1"]);
    source.set(second);
    await loop.idle();
    expect(shared()?.addresses).toEqual(["10.0.0.1", "10.0.1.1"]);
    const { operations } = session.stats;
    const late = pod("b", "two", { ips: ["10.0.1.2"] });
    source.set(late);
    await loop.idle();
    expect(shared()?.addresses).toEqual(["10.0.0.1", "10.0.1.1", "10.0.1.2"]);
    // One element of the shared set and one of each policy's own.
    expect(session.stats.operations - operations).toBe(4);
    source.delete(keyOf(first));
    await loop.idle();
    expect(shared()?.addresses).toEqual(["10.0.1.1", "10.0.1.2"]);
    source.delete(keyOf(second));
    await loop.idle();
    expect(rows()).toEqual(freshTables([...facts, late, plain], options));
  });

  test("is swept at a start when nobody uses it any more", async () => {
    await run(world);
    await restart();
    await run([...facts, plain]);
    expect(rows()).toEqual(freshTables([...facts, plain], options));
  });

  test("stays while a policy that may use it cannot be read, and goes when that one is gone", async () => {
    await run(world);
    await restart();
    const source = new MemorySource([...facts, plain]);
    source.unreadable.add(keyOf(first));
    const controller = await runFrom(source);
    expect(shared()).not.toBeNull();
    source.unreadable.clear();
    source.set(pod("a", "late", { ips: ["10.0.0.9"] }));
    await controller.loop.idle();
    expect(rows().Port_Group).toHaveLength(1);
    expect(shared()).toBeNull();
  });

  test.each([undefined, 1])(
    "when it is refused all its users are, and others land; written in pieces of %s",
    async (weight) => {
      await taken();
      const controller = await run(world, weight);
      expect([...controller.refused.keys()].sort()).toEqual([first, second].map(key).sort());
      expect(controller.refused.get(key(second))?.[0]?.code).toBe("RowRefused");
      expect([...controller.settled]).toEqual([key(plain)]);
      const inForce = rows().Port_Group.filter(isInForce);
      const names = inForce.map((row) => row.external_ids[keys.name]);
      expect(names).toEqual(["plain"]);
      await ovn.nbctl("destroy", "Address_Set", sharedSet.name);
      await eventually(() => {
        expect([...controller.settled].sort()).toEqual([plain, first, second].map(key).sort());
      });
      expect(rows()).toEqual(freshTables(world, options));
    },
  );

  test("goes with its last user although a policy is refused whose rows do not name it", async () => {
    const controller = await run([...facts, first]);
    const grown = (name: string) =>
      anp(name, {
        ...{ priority: 1, subject: namespacesWith({ tenant: "a" }) },
        ingress: [0, 1].map(() => ({ action: "Deny", from: [{ namespaces: {} }] })),
      });
    const other = freshTables([...facts, grown("plain")], options).Address_Set.at(-1)?.name ?? "";
    await ovn.nbctl("create", "Address_Set", `name=${other}`, "addresses=9.9.9.9");
    controller.source.delete(keyOf(first));
    controller.source.set(grown("plain"));
    await controller.loop.idle();
    expect(controller.refused.has(key(plain))).toBe(true);
    expect(shared()).toBeNull();
    await ovn.nbctl("destroy", "Address_Set", other);
    await eventually(() => {
      expect(rows()).toEqual(freshTables([...facts, grown("plain")], options));
    });
  });

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["an address too many", ["add", "Address_Set", sharedSet.name, "addresses", "6.6.6.6"]],
    ["an emptied set", ["clear", "Address_Set", sharedSet.name, "addresses"]],
    ["a deleted set", ["destroy", "Address_Set", sharedSet.name]],
    ["a set without its owner", ["clear", "Address_Set", sharedSet.name, "external_ids"]],
  ];
  test.each(edits)("%s is put right", async (_, edit) => {
    const controller = await run(world);
    await ovn.nbctl(...edit);
    // Until the edit has been put right the ACLs may well refer to nothing: that is the edit's doing.
    await eventually(async () => {
      await controller.loop.idle();
      const fresh = openNorthbound(ovn.nb, {}, sharedUnits);
      await fresh.opened();
      const tables = actualTables(fresh.cache, owners);
      await fresh.close();
      expect(tables).toEqual(freshTables(world, options));
    });
    dangling.splice(0);
  });
});
