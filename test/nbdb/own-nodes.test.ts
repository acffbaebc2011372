// A node's way to its own pods under NetworkPolicies, on a real ovsdb-server: one unit a node while a NetworkPolicy is there,
// with the pods on it and the addresses it has; what comes and goes touches that unit alone.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { NodeFact } from "../../src/model/facts.ts";
import type { Fact, WorldObject } from "../../src/model/object.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { nameOf } from "../support/documented-netpol.ts";
import { eventually } from "../support/eventually.ts";
import { ip, namespace, node, pod } from "../support/facts.ts";
import type { Writes } from "../support/metered.ts";
import { startMetered } from "../support/metered.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { acnp } from "../support/antrea.ts";
import { anp, np } from "../support/policies.ts";

const options = { families: ["v4" as const, "v6" as const], zone: null, installed: everyDialect.dialects };
const owners = rowOwners(everyDialect.owners);

const first: NodeFact = {
  ...node("node-1", {}, ["172.18.0.2", "10.9.0.2", "fd18::2"]),
  managementIps: [ip("10.244.1.2")],
};
const second = node("node-2", {}, ["172.18.0.3"]);
const web = pod("shop", "web", { ips: ["10.244.1.5"], node: "node-1" });
const facts = [
  namespace("shop"),
  namespace("other"),
  ...[first, second, web],
  pod("shop", "db", { ips: ["10.244.2.5"], node: "node-2" }),
  pod("other", "one", { ips: ["10.244.1.6"], node: "node-1" }),
  pod("other", "host", { ips: ["172.18.0.2"], node: "node-1", hostNetwork: true }),
  pod("other", "done", { ips: ["10.244.1.7"], node: "node-1", completed: true }),
  pod("other", "waiting", { node: null }),
];
const isolated = np("isolated", { ingress: [] });
const late = pod("shop", "late", { ips: ["10.244.1.8"], node: "node-1" });

await describeWithOvn("a node and its own pods", () => {
  const database = new Database({
    ports: [
      ...["web", "db", "late"].map((name) => `shop_${name}`),
      ...["one", "two", "host", "done", "waiting"].map((name) => `other_${name}`),
    ],
    open: (remote) => openNorthbound(remote, {}, options),
  });

  async function run(objects: readonly WorldObject[], zone: string | null = null): Promise<TestController> {
    return database.settled(new MemorySource(objects), { ...options, zone });
  }
  const rows = () => actualTables(database.session.cache, owners);
  const ofNodes = ({ external_ids: ids }: { readonly external_ids: Readonly<Record<string, string>> }) =>
    ids[keys.ownerType] === "NorthgateNode";
  const groups = () =>
    Object.fromEntries(
      rows()
        .Port_Group.filter(ofNodes)
        .map(({ external_ids: ids, ports }) => [ids[keys.name] ?? "", ports]),
    );
  const acls = () =>
    rows()
      .ACL.filter(ofNodes)
      .map(({ name, match }) => `${name ?? ""} ${match}`)
      .sort();
  const group = (name: string) => nameOf("NorthgateNode", name);

  test("has rows of its own, as rendered; a restart writes nothing", async () => {
    const world = [...facts, isolated];
    const controller = await run(world);
    expect([...controller.refused, ...(groups()["node-3"] ?? [])]).toEqual([]);
    expect(rows()).toEqual(freshTables(world, options));
    expect(groups()).toEqual({ "node-1": ["other_one", "shop_web"], "node-2": ["shop_db"] });
    const [one, two] = [`outport == @${group("node-1")}`, `outport == @${group("node-2")}`];
    expect(acls()).toEqual([
      `NODE:node-1:Ingress:0 ${one} && (ip4.src == {10.244.1.2/32, 10.9.0.2/32, 172.18.0.2/32} || ip6.src == {fd18::2/128})`,
      `NODE:node-1:Ingress:1 ${one} && (ip4.src == {169.254.169.5/32} || ip6.src == {fd69::5/128})`,
      `NODE:node-2:Ingress:0 ${two} && ip4.src == {172.18.0.3/32}`,
      `NODE:node-2:Ingress:1 ${two} && (ip4.src == {169.254.169.5/32} || ip6.src == {fd69::5/128})`,
    ]);
    const place = { tier: 2, priority: 1001, action: "allow-related", direction: "to-lport", log: false };
    for (const acl of rows().ACL.filter(ofNodes)) expect(acl).toMatchObject(place);
    expect(rows().ACL.find(ofNodes)?.external_ids[keys.id]).toMatch(
      /^default-network-controller:NorthgateNode:node-[12]:Ingress:[01]:None$/,
    );
    await database.restart();
    await run(world);
    expect(database.session.stats.operations).toBe(0);
  });

  test("has none without a NetworkPolicy, from the last on, or where the kind is not followed", async () => {
    const { source, loop } = await run([...facts, anp("a", { ingress: [] })]);
    expect(groups()).toEqual({});
    const other = np("other", {}, "other");
    source.set(isolated, other);
    await loop.idle();
    expect(Object.keys(groups()).sort()).toEqual(["node-1", "node-2"]);
    source.delete(keyOf(other));
    await loop.idle();
    expect(Object.keys(groups()).sort()).toEqual(["node-1", "node-2"]);
    source.delete(keyOf(isolated));
    await loop.idle();
    expect([groups(), acls()]).toEqual([{}, []]);
    source.set(isolated);
    await loop.idle();
    const before = rows();
    const stranger = openNorthbound(database.ovn.nb);
    await stranger.opened();
    const controller = startController(stranger, new MemorySource(facts), {
      families: ["v4"],
      zone: null,
      allowEmpty: true,
    });
    await controller.loop.idle();
    await controller.stop();
    await stranger.close();
    expect(rows()).toEqual(before);
  });

  test("with Antrea's kinds it stands before every other policy, in rows of its own, beside NetworkPolicy's", async () => {
    const spec = {
      priority: 1,
      tier: "emergency",
      appliedTo: [{ podSelector: {} }],
      ingress: [{ action: "Drop" }],
    };
    const world = [...facts, isolated, acnp("shut", spec)];
    await run(world);
    expect(rows()).toEqual(freshTables(world, options));
    const firsts = () =>
      rows().ACL.filter(({ external_ids: ids }) => ids[keys.ownerType] === "NorthgateNodeFirst");
    const ofFirst = nameOf("NorthgateNodeFirst", "node-1");
    expect(firsts().map(({ match }) => match)).toContain(
      `outport == @${ofFirst} && (ip4.src == {10.244.1.2/32, 10.9.0.2/32, 172.18.0.2/32} || ip6.src == {fd18::2/128})`,
    );
    expect(firsts()).toHaveLength(2);
    const place = { tier: 1, priority: 32767, action: "allow-related", direction: "to-lport", log: false };
    for (const acl of firsts()) expect(acl).toMatchObject(place);
    expect(acls()).toHaveLength(4);
    await database.restart();
    await run(world);
    expect(database.session.stats.operations).toBe(0);
  });

  test("comes and goes with the policies of the kinds that asked for it, and no other's", async () => {
    const spec = { priority: 1, appliedTo: [{ podSelector: {} }], ingress: [{ action: "Drop" }] };
    const { source, loop } = await run([...facts, isolated, acnp("shut", spec)]);
    const before = rows();
    source.delete(keyOf(isolated));
    await loop.idle();
    expect(acls()).toEqual([]);
    expect(rows().ACL.filter(({ tier, priority }) => tier === 1 && priority === 32767)).toHaveLength(2);
    source.set(isolated);
    await loop.idle();
    expect(rows()).toEqual(before);
    source.delete(keyOf(acnp("shut", spec)));
    await loop.idle();
    expect(rows().ACL.filter(({ tier }) => tier === 1)).toEqual([]);
    expect(acls()).toHaveLength(4);
  });

  test("keeps it while a NetworkPolicy that cannot be read keeps pods isolated, and loses it at the next start after", async () => {
    await run([...facts, isolated]);
    await database.restart();
    const broken = np("isolated", { podSelector: 5 });
    const { source, loop } = await run([...facts, broken]);
    expect(Object.keys(groups()).sort()).toEqual(["node-1", "node-2"]);
    source.delete(keyOf(broken));
    await loop.idle();
    expect(groups()).toEqual({});
    source.set(isolated);
    await loop.idle();
    await database.restart();
    await run(facts);
    expect([groups(), acls()]).toEqual([{}, []]);
  });

  test("in a zone's database is that zone's alone, and all others are swept", async () => {
    await run([...facts, isolated]);
    await database.restart();
    await run([...facts, isolated], "node-2");
    expect(groups()).toEqual({ "node-2": ["shop_db"] });
    expect(rows()).toEqual(freshTables([...facts, isolated], { ...options, zone: "node-2" }));
  });

  test("without addresses has the hairpin's rule alone, until it has some", async () => {
    const { source, loop } = await run([...facts, node("node-2"), isolated]);
    const ofSecond = () => acls().filter((acl) => acl.includes("node-2"));
    expect(ofSecond()).toHaveLength(1);
    source.set(second);
    await loop.idle();
    expect(ofSecond()).toHaveLength(2);
  });

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["a deleted group", ["destroy", "Port_Group", group("node-1")]],
    ["a port taken out", ["clear", "Port_Group", group("node-1"), "ports"]],
    ["an ACL taken out", ["clear", "Port_Group", group("node-2"), "acls"]],
  ];
  test.each(edits)("%s is put right", async (_, edit) => {
    const world = [...facts, isolated];
    const controller = await run(world);
    await database.ovn.nbctl(...edit);
    await eventually(async () => {
      await controller.loop.idle();
      expect(rows()).toEqual(freshTables(world, options));
    });
  });

  const elsewhere = pod("other", "two", { ips: ["10.244.1.9"], node: "node-1" });
  const relabelled = new Map([["a", "b"]]);
  const moved = { ...second, ips: [ip("172.18.0.9")] };
  const added = { "mutate Port_Group: ports +1": 1 };
  const removed = { "mutate Port_Group: ports -1": 1 };
  const steps: readonly (readonly [string, Fact, Writes])[] = [
    ["a pod comes", elsewhere, added],
    ["it gets another address", { ...elsewhere, ips: [ip("10.244.1.10")] }, {}],
    ["it gets another label", { ...elsewhere, labels: relabelled }, {}],
    ["it completes", { ...elsewhere, completed: true }, removed],
    // It is in its policy's group and in its namespace's default deny, too.
    ["an isolated pod comes", late, { "mutate Port_Group: ports +1": 3 }],
    ["it moves to the other node", { ...late, node: "node-2" }, { ...added, ...removed }],
    ["a node gets another address", moved, { "update ACL: match": 1 }],
    ["it gets another label", { ...moved, labels: relabelled }, {}],
    ["its management port does", { ...first, managementIps: [ip("10.244.1.3")] }, { "update ACL: match": 1 }],
    ["a node comes", node("node-3", {}, ["172.18.0.4"]), { "insert ACL": 2, "insert Port_Group": 1 }],
  ];

  test("costs one element for a pod, and nothing but its own unit for a node", async () => {
    const metered = await startMetered(database.ovn, [...facts, isolated], options);
    database.started(metered);
    for (const [event, fact, writes] of steps) {
      const cost = await metered.costOf((source) => {
        source.set(fact);
      });
      expect([event, cost.writes]).toEqual([event, writes]);
    }
    const cost = await metered.costOf((source) => {
      source.delete(keyOf(node("node-3")));
    });
    expect(cost.writes).toEqual({ "delete Port_Group": 1 });
    const now = metered.controller.source.objects();
    await eventually(() => {
      expect(rows()).toEqual(freshTables(now, options));
    });
  });

  test("whose rows the database refuses keeps nothing back, and comes as soon as it can", async () => {
    await database.ovn.nbctl("create", "Port_Group", `name=${group("node-1")}`);
    const { settled, refused } = await run([...facts, isolated]);
    expect([[...settled], [...refused]]).toEqual([[keyOf(isolated)], []]);
    expect(groups()).toEqual({ "node-2": ["shop_db"] });
    await database.ovn.nbctl("destroy", "Port_Group", group("node-1"));
    await eventually(() => {
      expect(rows()).toEqual(freshTables([...facts, isolated], options));
    }, 30_000);
  });

  test("whose port comes late is reached as soon as the port is there", async () => {
    await database.ovn.nbctl("lsp-del", "shop_web");
    await run([...facts, isolated]);
    expect(groups()["node-1"]).toEqual(["other_one"]);
    await database.ovn.nbctl("lsp-add", "sw", "shop_web");
    await eventually(() => {
      expect(groups()["node-1"]).toEqual(["other_one", "shop_web"]);
    });
  });
});
