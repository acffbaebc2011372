// The loop on a real ovsdb-server: cold start, restart without a write, one element for one pod, drift put right,
// foreign rows untouched, a refused policy alone.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IpFamily } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import type { PolicyKey } from "../../src/policy/ir.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import type { SocketSession } from "../../src/ovsdb/index.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import type { TestController } from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { anp, banp, namespacesWith } from "../support/policies.ts";
import { clearRows, makeSwitch } from "../support/ports.ts";

const options = { families: ["v4" as const], zone: null };

const world = [
  namespace("a", { tenant: "a" }),
  namespace("b", { tenant: "b" }),
  pod("a", "one", {
    ips: ["10.0.0.1"],
    labels: { app: "x" },
    ports: [{ name: "http", protocol: "tcp", port: 80 }],
  }),
  pod("a", "two", { ips: ["10.0.0.2"], labels: { app: "y" } }),
  pod("b", "one", { ips: ["10.0.0.3"], labels: { app: "x" } }),
  anp("first", {
    subject: namespacesWith({ tenant: "a" }),
    ingress: [
      { action: "Allow", from: [namespacesWith({ tenant: "b" })], ports: [{ namedPort: "http" }] },
      { action: "Deny", from: [{ namespaces: {} }] },
    ],
    egress: [{ action: "Pass", to: [{ networks: ["10.0.0.0/8"] }] }],
  }),
  banp({ ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
];

const first = "AdminNetworkPolicy.policy.networking.k8s.io/first" as PolicyKey;
const baseline = "BaselineAdminNetworkPolicy.policy.networking.k8s.io/default" as PolicyKey;
const running: TestController[] = [];

await describeWithOvn("the controller on a real ovsdb-server", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    await makeSwitch(ovn, ["a_one", "a_two", "b_one"]);
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterEach(async () => {
    for (const controller of running.splice(0)) await controller.stop();
    await session.close();
  });

  async function run(objects: readonly WorldObject[] = world): Promise<TestController> {
    const controller = startController(session, new MemorySource(objects), options);
    running.push(controller);
    await controller.loop.idle();
    return controller;
  }

  /** Until the cache shows what the objects want: other clients' edits and new ports arrive when the server tells. */
  async function converged(objects: readonly WorldObject[]): Promise<void> {
    await eventually(() => {
      expect(actualTables(session.cache)).toEqual(freshTables(objects, options));
    });
  }

  test("a cold start writes the rows that a fresh rendering says, in one transaction", async () => {
    const controller = await run();
    expect(actualTables(session.cache)).toEqual(freshTables(world, options));
    expect(session.stats.transactions).toBe(1);
    expect([...controller.settled].sort()).toEqual([first, baseline]);
  });

  test("a restart on an unchanged cluster writes nothing", async () => {
    await (await run()).stop();
    await session.close();
    session = openNorthbound(ovn.nb);
    await session.opened();
    await run();
    expect(session.stats.operations).toBe(0);
    expect(actualTables(session.cache)).toEqual(freshTables(world, options));
  });

  test("a pod of a known label set costs no selector evaluation and one element an affected set", async () => {
    const controller = await run();
    const before = { ...session.stats, ...controller.groups.stats };
    const added = pod("b", "two", { ips: ["10.0.0.4"], labels: { app: "x" } });
    controller.source.set(added);
    await controller.loop.idle();
    expect(controller.groups.stats.selectorEvaluations - before.selectorEvaluations).toBe(0);
    expect(session.stats.transactions - before.transactions).toBe(1);
    // first: Ingress:0 and Ingress:1; default: Ingress:0. The port has no row yet.
    expect(session.stats.operations - before.operations).toBe(3);
    expect(actualTables(session.cache).Address_Set).toEqual(
      freshTables([...world, added], options).Address_Set,
    );
  });

  test("an update without a difference writes nothing", async () => {
    const controller = await run();
    const { operations } = session.stats;
    controller.source.become(world, 3);
    await controller.loop.idle();
    expect(session.stats.operations).toBe(operations);
  });

  test("a pod whose port appears late is taken in when its row appears", async () => {
    const late = pod("a", "late", { ips: ["10.0.0.9"] });
    const controller = await run([...world, late]);
    expect(actualTables(session.cache).Port_Group[0]?.ports).toEqual(["a_one", "a_two"]);
    await ovn.nbctl("lsp-add", "sw", "a_late");
    await converged([...world, late]);
    expect(actualTables(session.cache).Port_Group[0]?.ports).toEqual(["a_late", "a_one", "a_two"]);
    await ovn.nbctl("lsp-del", "a_late");
    await ovn.nbctl("lsp-add", "sw", "a_late");
    await converged([...world, late]);
    expect(controller.settled.has(first)).toBe(true);
  });

  test("an address that changes without a change of count is seen, a completed pod leaves", async () => {
    const controller = await run();
    const moved = pod("b", "one", { ips: ["10.0.0.33"], labels: { app: "x" } });
    const completed = pod("a", "two", { ips: ["10.0.0.2"], labels: { app: "y" }, completed: true });
    controller.source.set(moved, completed);
    await controller.loop.idle();
    const now = [...world.filter((object) => !isOneOf(object, [moved, completed])), moved, completed];
    expect(actualTables(session.cache)).toEqual(freshTables(now, options));
    expect(JSON.stringify(actualTables(session.cache))).not.toContain('"10.0.0.3"');
  });

  describe("rows that someone else changes are put right:", () => {
    const names = () => {
      const tables = freshTables(world, options);
      return { portGroup: tables.Port_Group[0]?.name ?? "", addressSet: tables.Address_Set[0]?.name ?? "" };
    };
    const edits: readonly (readonly [string, () => readonly string[]])[] = [
      ["an address too many", () => ["add", "Address_Set", names().addressSet, "addresses", "6.6.6.6"]],
      ["an emptied set", () => ["clear", "Address_Set", names().addressSet, "addresses"]],
      ["a deleted set", () => ["destroy", "Address_Set", names().addressSet]],
      ["a set without its owner", () => ["clear", "Address_Set", names().addressSet, "external_ids"]],
      [
        "a set of another owner type",
        () => ["set", "Address_Set", names().addressSet, 'external_ids:"k8s.ovn.org/owner-type"=X'],
      ],
      ["emptied ports", () => ["clear", "Port_Group", names().portGroup, "ports"]],
      ["emptied ACLs", () => ["clear", "Port_Group", names().portGroup, "acls"]],
      ["a deleted port group", () => ["destroy", "Port_Group", names().portGroup]],
      ["a port group without its owner", () => ["clear", "Port_Group", names().portGroup, "external_ids"]],
      [
        "a set of another owner controller",
        () => [
          "set",
          "Address_Set",
          names().addressSet,
          'external_ids:"k8s.ovn.org/owner-controller"=someone',
        ],
      ],
      [
        "a port group of another owner controller",
        () => ["set", "Port_Group", names().portGroup, 'external_ids:"k8s.ovn.org/owner-controller"=someone'],
      ],
      ["an extra external id", () => ["set", "Port_Group", names().portGroup, "external_ids:mine=1"]],
    ];
    test.each(edits)("%s", async (_, edit) => {
      const controller = await run();
      await ovn.nbctl(...edit());
      await eventually(async () => {
        await controller.loop.idle();
        expect(await nbctlTables()).toEqual(freshTables(world, options));
      });
    });

    test("an edited ACL", async () => {
      await run();
      const uuid = (
        await ovn.nbctl("--bare", "--columns=_uuid", "find", "ACL", 'name="ANP:first:Ingress:1"')
      ).trim();
      await ovn.nbctl("set", "ACL", uuid, "action=allow", "match=1", "tier=0");
      await converged(world);
      await ovn.nbctl("clear", "ACL", uuid, "external_ids");
      await eventually(async () => {
        expect(await nbctlTables()).toEqual(freshTables(world, options));
      });
    });
  });

  test("rows of a policy that went while we were down are swept; foreign rows stay as they are", async () => {
    const foreign = [
      [
        "create",
        "Address_Set",
        "name=foreign",
        "addresses=1.2.3.4",
        'external_ids:"k8s.ovn.org/owner-type"=NetworkPolicy',
      ],
      [
        "create",
        "Address_Set",
        "name=imposter",
        'external_ids:"k8s.ovn.org/owner-type"=AdminNetworkPolicy',
        'external_ids:"k8s.ovn.org/name"=first',
        'external_ids:"k8s.ovn.org/owner-controller"=someone-else',
      ],
      ["--id=@a", "create", "ACL", "priority=7", "direction=to-lport", "match=ip4", "action=drop"],
      ["create", "Port_Group", "name=theirs", "acls=@a"],
    ];
    await ovn.nbctl(...foreign.flatMap((command) => ["--", ...command]).slice(1));
    const dump = async () =>
      Promise.all([
        ovn.nbctl("find", "Address_Set", "name=foreign"),
        ovn.nbctl("find", "Address_Set", "name=imposter"),
        ovn.nbctl("find", "ACL", "priority=7"),
        ovn.nbctl("find", "Port_Group", "name=theirs"),
      ]);
    const before = await dump();
    await (await run()).stop();
    await session.close();
    session = openNorthbound(ovn.nb);
    await session.opened();
    await run(world.filter((object) => object.kind !== "AdminNetworkPolicy"));
    expect(actualTables(session.cache).Port_Group.map((row) => row.external_ids["k8s.ovn.org/name"])).toEqual(
      ["default"],
    );
    expect(actualTables(session.cache).Address_Set).toHaveLength(1);
    expect(await dump()).toEqual(before);
  });

  test("a copy of a rule in someone else's port group stays theirs and is not taken for the rule", async () => {
    const id = "default-network-controller:AdminNetworkPolicy:first:Ingress:1:None";
    const ids = {
      "k8s.ovn.org/id": id,
      "k8s.ovn.org/name": "first",
      "k8s.ovn.org/owner-controller": "default-network-controller",
      "k8s.ovn.org/owner-type": "AdminNetworkPolicy",
    };
    const copy = ["priority=7", "direction=to-lport", "match=ip4", "action=drop"];
    const named = Object.entries(ids).map(([key, value]) => `external_ids:"${key}"="${value}"`);
    await ovn.nbctl(
      "--id=@a",
      "create",
      "ACL",
      ...copy,
      ...named,
      "--",
      "create",
      "Port_Group",
      "name=theirs",
      "acls=@a",
    );
    const theirs = () => ovn.nbctl("find", "ACL", "priority=7");
    const before = await theirs();
    const controller = await run();
    expect(controller.settled.has(first)).toBe(true);
    expect(before).toContain(id);
    expect(await theirs()).toBe(before);
    const group = freshTables(world, options).Port_Group[0]?.name ?? "";
    const references = (await ovn.nbctl("get", "Port_Group", group, "acls")).match(/[0-9a-f-]{36}/g) ?? [];
    expect(references).toHaveLength(3);
    expect(references.filter((uuid) => before.includes(uuid))).toEqual([]);
  });

  test("a policy whose row's name a foreign row holds is refused alone; the others land", async () => {
    const taken = freshTables(world, options).Address_Set[0]?.name ?? "";
    await ovn.nbctl("create", "Address_Set", `name=${taken}`, "addresses=9.9.9.9");
    const controller = await run([...world, anp("second", { priority: 11 }), anp("third", { priority: 12 })]);
    expect(controller.refused.get(first)?.[0]?.code).toBe("RowRefused");
    expect(controller.refused.get(first)?.[0]?.message).toContain("constraint violation");
    expect([...controller.settled].sort()).toEqual([
      "AdminNetworkPolicy.policy.networking.k8s.io/second",
      "AdminNetworkPolicy.policy.networking.k8s.io/third",
      baseline,
    ]);
    expect(
      await ovn.nbctl("--bare", "--columns=addresses", "find", "Address_Set", `name=${taken}`),
    ).toContain("9.9.9.9");
    // With the name free again the next try lands.
    await ovn.nbctl("destroy", "Address_Set", taken);
    await eventually(() => {
      expect(controller.settled.has(first)).toBe(true);
    });
  });

  test("rows refused on an edit stay refused until they land, however often they are tried", async () => {
    const controller = await run();
    const edited = anp("first", {
      subject: namespacesWith({ tenant: "a" }),
      ingress: [{ action: "Deny", from: [{ namespaces: {} }] }],
    });
    const grown = anp("first", {
      subject: namespacesWith({ tenant: "a" }),
      ingress: [...new Array<unknown>(4)].map(() => ({ action: "Deny", from: [{ namespaces: {} }] })),
    });
    const last = freshTables([...world.slice(0, 5), grown], options).Address_Set.at(-1)?.name ?? "";
    await ovn.nbctl("create", "Address_Set", `name=${last}`, "addresses=9.9.9.9");
    controller.source.set(grown);
    await eventually(() => {
      expect(controller.refused.has(first)).toBe(true);
    });
    const told = JSON.stringify(controller.refused.get(first));
    expect(told).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(controller.settled.has(first)).toBe(false);
    expect(JSON.stringify(controller.refused.get(first))).toBe(told);
    controller.source.set(edited);
    await controller.loop.idle();
    expect(controller.settled.has(first)).toBe(true);
    await ovn.nbctl("destroy", "Address_Set", last);
  });

  test("rows whose policy may be there unread are not swept, and are once it is known to be gone", async () => {
    await (await run()).stop();
    const before = actualTables(session.cache);
    const rest = world.filter((object) => object.kind !== "AdminNetworkPolicy");
    const source = new MemorySource(rest);
    source.unreadable.add(first);
    const controller = startController(session, source, options);
    running.push(controller);
    await controller.loop.idle();
    expect(actualTables(session.cache)).toEqual(before);
    source.unreadable.clear();
    source.set(namespace("c"));
    await controller.loop.idle();
    expect(actualTables(session.cache)).toEqual(freshTables(rest, options));
  });

  test("an object that cannot be understood keeps what it had, over a restart too, until it is deleted", async () => {
    const broken = anp("first", { priority: 10, subject: {} });
    const controller = await run();
    const before = actualTables(session.cache);
    controller.source.set(broken);
    await controller.loop.idle();
    expect(controller.refused.has(first)).toBe(true);
    expect(actualTables(session.cache)).toEqual(before);
    await controller.stop();
    await session.close();
    session = openNorthbound(ovn.nb);
    await session.opened();
    const { operations } = session.stats;
    const next = await run([...world.filter((object) => object.kind !== "AdminNetworkPolicy"), broken]);
    expect(session.stats.operations).toBe(operations);
    expect(actualTables(session.cache)).toEqual(before);
    next.source.delete(first);
    await next.loop.idle();
    expect(actualTables(session.cache).Port_Group).toHaveLength(1);
  });

  test("a server that goes away and comes back is written to only where something changed meanwhile", async () => {
    const controller = await run();
    await ovn.killNb();
    await eventually(() => {
      expect(session.ready).toBe(false);
    });
    await ovn.restartNb();
    await eventually(() => {
      expect(session.ready).toBe(true);
    });
    await controller.loop.idle();
    expect(session.stats.transactions).toBe(1);
    await ovn.killNb();
    const added = pod("b", "meanwhile", { ips: ["10.0.0.7"], labels: { app: "x" } });
    controller.source.set(added);
    await ovn.restartNb();
    await eventually(() => {
      expect(actualTables(session.cache).Address_Set).toEqual(
        freshTables([...world, added], options).Address_Set,
      );
    });
    expect(session.stats.operations).toBeLessThanOrEqual(actualTables(session.cache).ACL.length + 10 + 3);
  });

  test("with families auto the second family is in every row as long as a Node or a pod shows it", async () => {
    const dual = node("dual", {}, [], ["v4", "v6"]);
    const single = node("single", {}, [], ["v4"]);
    const six = pod("b", "one", { ips: ["10.0.0.3", "fd00::3"], labels: { app: "x" } });
    const both = world.map((object) => (isOneOf(object, [six]) ? six : object));
    const controller = startController(session, new MemorySource([...world, single]), {
      families: null,
      zone: null,
    });
    running.push(controller);
    const expectRows = async (objects: readonly WorldObject[], families: readonly IpFamily[]) => {
      await controller.loop.idle();
      expect(actualTables(session.cache)).toEqual(freshTables(objects, { families, zone: null }));
    };
    await expectRows(world, ["v4"]);
    controller.source.set(dual);
    await expectRows(world, ["v4", "v6"]);
    controller.source.set(six);
    controller.source.delete(keyOf(dual));
    await expectRows(both, ["v4", "v6"]);
    expect(JSON.stringify(actualTables(session.cache))).toContain('"fd00::3"');
    controller.source.set(...world);
    await expectRows(world, ["v4"]);
  });

  /** What a new client reads: nothing of our own cache. */
  async function nbctlTables(): Promise<Tables> {
    const other = openNorthbound(ovn.nb);
    await other.opened();
    const tables = actualTables(other.cache);
    await other.close();
    return tables;
  }
});

function isOneOf(object: WorldObject, others: readonly WorldObject[]): boolean {
  return others.some((other) => keyOf(other) === keyOf(object));
}
