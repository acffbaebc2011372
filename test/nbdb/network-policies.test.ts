// NetworkPolicies on a real ovsdb-server: the isolation of a namespace comes and goes with its policies, a pod is never
// denied before it is allowed, OVN-Kubernetes' rows are taken over, and left alone by a program that does not follow the kind.

import { afterEach, describe, expect, test } from "@jest/globals";
import { everyDialect, installed } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Uuid } from "../../src/ovsdb/index.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound, startController } from "../support/controller.ts";
import { documentedRows, nameOf } from "../support/documented-netpol.ts";
import { eventually } from "../support/eventually.ts";
import { namedPort, namespace, pod } from "../support/facts.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, cnp, np } from "../support/policies.ts";
import { kindFlags } from "../support/dialects.ts";

const options = { families: ["v4" as const], zone: null, installed: everyDialect.dialects };
const owners = rowOwners(everyDialect.owners);

const facts = [
  namespace("shop"),
  namespace("other"),
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"], ports: [namedPort("http", 8080)] }),
  pod("shop", "db", { labels: { app: "db" }, ips: ["10.0.0.2"] }),
  pod("other", "one", { labels: { app: "web" }, ips: ["10.0.1.1"] }),
];
const app = (name: string) => ({ matchLabels: { app: name } });
const web = np("web", { podSelector: app("web"), ingress: [{ from: [{ podSelector: app("db") }] }] });
const db = np("db", { podSelector: app("db"), ingress: [{}], egress: [{ ports: [{ port: 53 }] }] });
const denied = {
  ingress: nameOf("NetpolNamespace", "shop", "Ingress"),
  egress: nameOf("NetpolNamespace", "shop", "Egress"),
};

await describeWithOvn("NetworkPolicies", () => {
  /** Ports that were in a default deny and in no policy's group: seen at any state of the database. */
  const stranded: string[] = [];
  /** All port groups after each change. */
  const states: string[] = [];
  const database: Database = new Database({
    ports: ["shop_web", "shop_db", "other_one"],
    open: (remote) => openNorthbound(remote, {}, options),
    watch: (session) => {
      session.subscribe({
        changed: () => {
          const groups = actualTables(session.cache, owners).Port_Group;
          const ofType = (type: string) =>
            groups
              .filter((group) => group.external_ids[keys.ownerType] === type)
              .flatMap(({ ports }) => ports);
          states.push(JSON.stringify(groups));
          const allowed = new Set(ofType("NetworkPolicy"));
          for (const port of ofType("NetpolNamespace")) if (!allowed.has(port)) stranded.push(port);
        },
      });
    },
  });
  afterEach(() => {
    expect(stranded.splice(0)).toEqual([]);
  });

  async function runFrom(source: MemorySource, transactionWeight?: number): Promise<TestController> {
    return database.settled(source, { ...options, transactionWeight });
  }

  const run = (objects: readonly WorldObject[], weight?: number) =>
    runFrom(new MemorySource(objects), weight);
  const rows = () => actualTables(database.session.cache, owners);
  const groupOf = (name: string) => rows().Port_Group.find((group) => group.name === name) ?? null;
  const portsOf = (direction: keyof typeof denied) => groupOf(denied[direction])?.ports ?? null;

  test.each([undefined, 1])(
    "are written as rendered, in pieces of %s; a restart writes nothing",
    async (weight) => {
      const world = [
        ...facts,
        web,
        db,
        cnp("c", { ingress: [{ action: "Accept", from: [{ namespaces: {} }] }] }),
      ];
      const controller = await run(world, weight);
      expect(controller.refused.size).toBe(0);
      expect(rows()).toEqual(freshTables(world, options));
      expect(portsOf("ingress")).toEqual(["shop_db", "shop_web"]);
      expect(portsOf("egress")).toEqual(["shop_db"]);
      await database.restart();
      await run(world, weight);
      expect(database.session.stats.operations).toBe(0);
    },
  );

  test("isolate a namespace from the first on, together, until the last goes; all groups of a step at once", async () => {
    const { source, loop } = await run(facts);
    const step = async (change: () => void) => {
      states.length = 0;
      change();
      await loop.idle();
      // Sets go after the rows that refer to them: that changes no group.
      expect(new Set(states).size).toBe(1);
    };
    expect(rows().Port_Group).toEqual([]);
    await step(() => {
      source.set(web);
    });
    expect([portsOf("ingress"), portsOf("egress")]).toEqual([["shop_web"], []]);
    await step(() => {
      source.set(db);
    });
    expect([portsOf("ingress"), portsOf("egress")]).toEqual([["shop_db", "shop_web"], ["shop_db"]]);
    await step(() => {
      source.delete(keyOf(web));
    });
    expect([portsOf("ingress"), portsOf("egress")]).toEqual([["shop_db"], ["shop_db"]]);
    await step(() => {
      source.delete(keyOf(db));
    });
    expect(rows().Port_Group).toEqual([]);
    expect(rows().ACL).toEqual([]);
  });

  test("follow an edit of policyTypes in one transaction, and back", async () => {
    const { source, loop } = await run([...facts, db]);
    const before = rows();
    states.length = 0;
    source.set(
      np("db", { podSelector: app("db"), policyTypes: ["Egress"], egress: [{ ports: [{ port: 53 }] }] }),
    );
    await loop.idle();
    expect([portsOf("ingress"), portsOf("egress")]).toEqual([[], ["shop_db"]]);
    expect(rows().ACL.some(({ name }) => name === "NP:shop:db:Ingress:0")).toBe(false);
    source.set(db);
    await loop.idle();
    expect(rows()).toEqual(before);
    expect(new Set(states).size).toBe(2);
  });

  test("a pod that comes is allowed and denied at once, one element a group", async () => {
    const { source, loop } = await run([...facts, web]);
    await database.ovn.nbctl("lsp-add", "sw", "shop_late");
    const { operations } = database.session.stats;
    source.set(pod("shop", "late", { labels: { app: "web" }, ips: ["10.0.0.9"] }));
    await eventually(async () => {
      await loop.idle();
      expect(portsOf("ingress")).toEqual(["shop_late", "shop_web"]);
    });
    expect(database.session.stats.operations - operations).toBe(2);
  });

  test("are logged as the annotation of their namespace says, and follow it", async () => {
    const { source, loop } = await run([...facts, web, np("elsewhere", {}, "other")]);
    const logged = () =>
      rows().ACL.flatMap(({ name, log, severity }) => (log ? [`${name ?? ""} ${severity ?? ""}`] : []));
    expect(logged()).toEqual([]);
    const { operations } = database.session.stats;
    source.set({ ...namespace("shop"), logging: '{"allow": "info", "deny": "alert"}' });
    await loop.idle();
    expect(logged().sort()).toEqual([
      "NP:shop:Egress alert",
      "NP:shop:Ingress alert",
      "NP:shop:web:Ingress:0 info",
    ]);
    expect(database.session.stats.operations - operations).toBe(3);
    await database.restart();
    await run([
      ...facts,
      { ...namespace("shop"), logging: '{"deny": "alert"}' },
      web,
      np("elsewhere", {}, "other"),
    ]);
    expect(logged().sort()).toEqual(["NP:shop:Egress alert", "NP:shop:Ingress alert"]);
    expect(database.session.stats.operations).toBe(1);
  });

  test("look a name up on every pod where a rule says addresses, and keep to the addresses", async () => {
    const to = [{ ipBlock: { cidr: "10.0.0.0/24" } }];
    await run([...facts, np("named", { egress: [{ to, ports: [{ port: "http" }] }] })]);
    const group = nameOf("NetworkPolicy", "shop:named");
    expect(
      rows().ACL.filter(({ priority, action }) => priority === 1001 && action !== "allow"),
    ).toMatchObject([
      {
        match: `inport == @${group} && ip4.dst == 10.0.0.0/24 && tcp && ((ip4.dst == 10.0.0.1 && tcp.dst == 8080))`,
      },
    ]);
  });

  test("keep the isolation of pods whose policy cannot be read after a restart, beside one that can", async () => {
    await run([...facts, web, db]);
    await database.restart();
    const broken = np("db", { podSelector: 5 });
    const controller = await run([...facts, web, broken]);
    expect(portsOf("ingress")).toEqual(["shop_db", "shop_web"]);
    controller.source.delete(keyOf(web));
    await controller.loop.idle();
    expect(portsOf("ingress")).toEqual(["shop_db"]);
    expect(portsOf("egress")).toEqual(["shop_db"]);
    controller.source.delete(keyOf(broken));
    await controller.loop.idle();
    expect(rows().Port_Group).toEqual([]);
  });

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["a deleted default deny", ["destroy", "Port_Group", denied.ingress]],
    ["a port taken out", ["clear", "Port_Group", denied.ingress, "ports"]],
    ["an ACL taken out", ["clear", "Port_Group", denied.egress, "acls"]],
    ["a deleted set", ["destroy", "Address_Set", nameOf("PodSelector", "shop_LS{ML:{app: db,},}", "v4")]],
  ];
  test.each(edits)("%s is put right", async (_, edit) => {
    const world = [...facts, web, db];
    const controller = await run(world);
    await database.ovn.nbctl(...edit);
    await eventually(async () => {
      await controller.loop.idle();
      expect(rows()).toEqual(freshTables(world, options));
    });
  });

  /** The rows of OVN-Kubernetes for the same policies. */
  async function plant(...rest: Parameters<typeof documentedRows>): Promise<void> {
    await database.session.transact(documentedRows(...rest));
  }
  const port = (name: string): Uuid => {
    for (const uuid of database.session.cache.table("Logical_Switch_Port").find("name", name)) return uuid;
    throw new Error(`no port ${name}`);
  };

  test("have the documented names", () => {
    expect(nameOf("NetpolNamespace", "default", "Ingress")).toBe("a7142533792977303281");
    expect(nameOf("NetpolNamespace", "default", "Egress")).toBe("a15724806612133759017");
    expect(nameOf("NetworkPolicy", "default:test-policy")).toBe("a18090685263391312674");
    const selector = "LS{ML:{kubernetes.io/metadata.name: default,},}_LS{ML:{app: demo,},}";
    expect(nameOf("PodSelector", selector, "v4")).toBe("a3733136965153973077");
  });

  const plain = np("plain", {
    podSelector: {},
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      {
        from: [{ podSelector: app("db") }, { namespaceSelector: {}, podSelector: app("web") }],
        ports: [{ port: 80 }, { port: 443 }],
      },
      {
        from: [
          { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16", "10.2.0.0/16"] } },
          { ipBlock: { cidr: "192.0.2.0/24" } },
        ],
      },
      { from: [{ namespaceSelector: app("x") }], ports: [{ protocol: "UDP", port: 5, endPort: 9 }] },
    ],
    egress: [{ ports: [{ protocol: "SCTP" }] }, {}],
  });
  const set = (selector: string) => `$${nameOf("PodSelector", selector, "v4")}`;
  const [ofDb, ofWeb, ofX] = [
    "shop_LS{ML:{app: db,},}",
    "LS{}_LS{ML:{app: web,},}",
    "LS{ML:{app: x,},}_LS{}_LNM",
  ] as const;
  const both = [set(ofDb), set(ofWeb)].sort().join(", ");
  const plainDocumented = {
    namespace: "shop",
    name: "plain",
    acls: [
      { direction: "ingress", place: "0:tcp:-1", match: `ip4.src == {${both}} && tcp && tcp.dst=={80,443}` },
      {
        direction: "ingress",
        place: "1:None:-2",
        match:
          "((ip4.src == 10.0.0.0/8 && ip4.src != {10.1.0.0/16, 10.2.0.0/16}) || ip4.src == 192.0.2.0/24)",
      },
      { direction: "ingress", place: "2:udp:-1", match: `ip4.src == {${set(ofX)}} && udp && 5<=udp.dst<=9` },
      { direction: "egress", place: "0:sctp:-1", match: "ip4 && sctp" },
      { direction: "egress", place: "1:None:-1", match: "ip4" },
    ],
  } as const;
  const plainSets = { [ofDb]: ["10.0.0.2"], [ofWeb]: ["10.0.0.1", "10.0.1.1"], [ofX]: [] };
  const everyPort = () => [port("shop_web"), port("shop_db")];

  test("are taken over without a write where nothing is wrong with OVN-Kubernetes' rows", async () => {
    await plant(
      "shop",
      [plainDocumented],
      { plain: everyPort(), ingress: everyPort(), egress: everyPort() },
      plainSets,
    );
    await database.restart();
    await run([...facts, plain]);
    expect(rows()).toEqual(freshTables([...facts, plain], options));
    expect(database.session.stats.operations).toBe(0);
  });

  describe("that are annotated to follow no connections", () => {
    const { dialects: obeying } = installed(kindFlags({ networkPolicy: true, stateless: true }));
    const stateless = { ...plain, annotations: new Map([["k8s.ovn.org/acl-stateless", "true"]]) };
    const runObeying = async (objects: readonly WorldObject[]): Promise<TestController> => {
      const source = new MemorySource(objects);
      return database.settled(source, { ...options, installed: obeying });
    };
    const actions = () =>
      Object.entries(
        Object.groupBy(rows().ACL, ({ name, action }) => `${name?.split(":")[2] ?? ""} ${action}`),
      )
        .map(([kind, acls]) => `${acls?.length ?? 0} ${kind}`)
        .sort();
    const others = ["1 Egress allow", "1 Egress drop", "1 Ingress allow", "1 Ingress drop"];

    test("are taken over without a write where that is obeyed, and a restart writes nothing", async () => {
      await plant(
        "shop",
        [{ ...plainDocumented, isStateless: true }],
        { plain: everyPort(), ingress: everyPort(), egress: everyPort() },
        plainSets,
      );
      expect(actions()).toEqual([...others, "5 plain allow-stateless"].sort());
      for (let start = 0; start < 2; start++) {
        await database.restart();
        await runObeying([...facts, stateless]);
        expect(rows()).toEqual(freshTables([...facts, stateless], { ...options, installed: obeying }));
        expect(database.session.stats.operations).toBe(0);
      }
      // A program that does not obey it writes each rule's action, and nothing else.
      await database.restart();
      await run([...facts, stateless]);
      expect(actions()).toEqual([...others, "5 plain allow-related"].sort());
      expect(database.session.stats.operations).toBe(5);
    });

    test("change their rules' actions alone when the annotation comes and goes, those of named ports too", async () => {
      const named = np("named", { podSelector: app("web"), ingress: [{ ports: [{ port: "http" }] }] });
      const { source, loop } = await runObeying([...facts, plain, named]);
      const before = rows();
      const kept = [...others, "1 named allow-related"];
      expect(actions()).toEqual([...kept, "5 plain allow-related"].sort());
      const { operations, transactions } = database.session.stats;
      source.set(stateless);
      await loop.idle();
      expect(actions()).toEqual([...kept, "5 plain allow-stateless"].sort());
      expect(database.session.stats.operations - operations).toBe(5);
      expect(database.session.stats.transactions - transactions).toBe(1);
      source.set({ ...named, annotations: stateless.annotations });
      await loop.idle();
      expect(actions()).toEqual([...others, "1 named allow-stateless", "5 plain allow-stateless"].sort());
      expect(database.session.stats.operations - operations).toBe(6);
      source.set(plain, named);
      await loop.idle();
      expect(rows()).toEqual(before);
    });
  });

  test("are taken over with what the faults make differ: any port for a name, a host's address, a direction that does not count", async () => {
    const named = np("named", { podSelector: app("web"), ingress: [{ ports: [{ port: "http" }] }] });
    const oneWay = np("one-way", { podSelector: app("db"), policyTypes: ["Ingress"], egress: [{}] });
    const documented = [
      plainDocumented,
      {
        namespace: "shop",
        name: "named",
        acls: [{ direction: "ingress", place: "0:tcp:-1", match: "ip4 && tcp" }],
      },
      {
        namespace: "shop",
        name: "one-way",
        acls: [{ direction: "egress", place: "0:None:-1", match: "ip4" }],
      },
    ] as const;
    const ports = { plain: everyPort(), named: [port("shop_web")], "one-way": [port("shop_db")] };
    const withHost = { ...plainSets, [ofDb]: ["10.0.0.2", "172.18.0.2"] };
    await plant("shop", documented, { ...ports, ingress: everyPort(), egress: everyPort() }, withHost);
    await database.restart();
    const world = [
      ...facts,
      pod("shop", "host", { labels: { app: "db" }, ips: ["172.18.0.2"], hostNetwork: true }),
      ...[plain, named, oneWay],
    ];
    await run(world);
    expect(rows()).toEqual(freshTables(world, options));
    // A host's address out; the ACL of the name in, and in its group it takes the other's place; one ACL out of a group.
    expect(database.session.stats.operations).toBe(4);
  });

  test("are nobody's where the kind is not followed, and stay to the last byte", async () => {
    await plant(
      "shop",
      [plainDocumented],
      { plain: everyPort(), ingress: everyPort(), egress: everyPort() },
      plainSets,
    );
    const kinds = new Set(["NetworkPolicy", "NetpolNamespace", "PodSelector"]);
    const ofNetworkPolicies = () => {
      const { Port_Group, Address_Set, ACL } = rows();
      const all = [...Port_Group, ...Address_Set, ...ACL];
      return all.filter(({ external_ids }) => kinds.has(external_ids[keys.ownerType] ?? ""));
    };
    const before = ofNetworkPolicies();
    expect(before).toHaveLength(3 + 3 + 9);
    const stranger = openNorthbound(database.ovn.nb);
    await stranger.opened();
    const world = [...facts, anp("a", { ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] })];
    const controller = startController(stranger, new MemorySource(world), { families: ["v4"], zone: null });
    await controller.loop.idle();
    controller.source.delete(keyOf(world.at(-1) ?? web));
    await controller.loop.idle();
    await controller.stop();
    await stranger.close();
    expect(ofNetworkPolicies()).toEqual(before);
  });
});
