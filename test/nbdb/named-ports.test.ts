// Named ports as address sets, on a real ovsdb-server: what a pod costs, what a number that comes or goes changes, what
// other clients' edits and restarts with the other form lead to. No ACL ever refers to a set that is not there.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import type { NamedPort } from "../../src/model/facts.ts";
import type { podKey } from "../../src/model/facts.ts";
import { Actual } from "../../src/nbdb/actual/actual.ts";
import { removeOwnedRows } from "../../src/nbdb/write/cleanup.ts";
import { NorthboundWriter } from "../../src/nbdb/write/northbound-writer.ts";
import { hashedName, keys } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { NamedPortForm } from "../../src/nbdb/rows/render-mode.ts";
import type { Northbound } from "../../src/nbdb/rows/schema.ts";
import type { Operation, SocketSession } from "../../src/ovsdb/index.ts";
import type { Ovn } from "../../tools/sandbox/ovn.ts";
import { startOvn } from "../../tools/sandbox/ovn.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import {
  MemorySource,
  freshTables,
  keyOf,
  owners,
  openNorthbound,
  startController,
} from "../support/controller.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp } from "../support/policies.ts";
import { watchedSession } from "../support/watched-session.ts";
import { clearRows } from "../support/ports.ts";

const http = (port: number): NamedPort => ({ name: "http", protocol: "tcp", port });
const web = (name: string, ips: readonly string[], ...ports: readonly NamedPort[]) =>
  pod("a", name, { ips, ports, labels: { app: "web" } });
const everyone = { namespaces: {} };
const policy = (name: string) =>
  anp("named", { ingress: [{ action: "Deny", from: [everyone], ports: [{ namedPort: name }] }] });
const base = [namespace("a"), policy("http")];
const two = [web("one", ["10.0.0.1", "fd00::1"], http(8080)), web("two", ["10.0.0.2"], http(8080))];
/** 50 pods of the same port; addresses of one length, so that bytes can be compared. */
const crowd = (size: number) =>
  Array.from({ length: size }, (_, at) => web(`p${at}`, [`10.1.${100 + at}.100`], http(8080)));

const setName = (number: string): string =>
  hashedName(
    new Map([
      [keys.id, `default-network-controller:AdminNetworkPolicy:named:Ingress:0:tcp-namedPort:${number}`],
    ]),
  );
const options = (namedPorts: NamedPortForm = "sets") => ({
  families: ["v4", "v6"] as const,
  zone: null,
  namedPorts,
});

await describeWithOvn("named ports as address sets", () => {
  let ovn: Ovn;
  let session: SocketSession<Northbound>;
  const running: TestController[] = [];
  /** The operations of every transaction that landed. */
  const transactions: (readonly Operation[])[] = [];

  beforeAll(async () => {
    ovn = await startOvn({ northd: false });
  });
  afterAll(async () => {
    await ovn.stop();
  });
  beforeEach(async () => {
    await clearRows(ovn);
    session = openNorthbound(ovn.nb);
    await session.opened();
  });
  afterEach(async () => {
    for (const controller of running.splice(0)) await controller.stop();
    await session.close();
  });

  async function run(objects: readonly WorldObject[], namedPorts?: NamedPortForm): Promise<TestController> {
    const watched = watchedSession(session, (operations) => {
      transactions.push(operations);
    });
    const controller = startController(watched, new MemorySource(objects), options(namedPorts));
    running.push(controller);
    await controller.loop.idle();
    transactions.length = 0;
    return controller;
  }

  /** Other objects, and the transactions that they led to, as "operation Table" each. */
  async function told(controller: TestController, ...objects: readonly WorldObject[]): Promise<string[][]> {
    transactions.length = 0;
    controller.source.set(...objects);
    await controller.loop.idle();
    return summaries();
  }

  const summaries = () =>
    transactions.map((operations) =>
      operations.map((operation) => `${operation.op} ${"table" in operation ? operation.table : ""}`).sort(),
    );
  const matches = () => actualTables(session.cache).ACL.map(({ match }) => match);

  function expectRows(objects: readonly WorldObject[], namedPorts?: NamedPortForm): void {
    const tables = freshTables(objects, options(namedPorts));
    const actual = actualTables(session.cache);
    expect({ ...actual, Port_Group: [] }).toEqual({ ...tables, Port_Group: [] });
    const sets = new Set(actual.Address_Set.map(({ name }) => name));
    for (const { match } of actual.ACL)
      for (const [, name] of match.matchAll(/\$(\w+)/g)) expect(sets).toContain(name);
  }

  test("a match names a set for each number and family, smaller numbers first", async () => {
    const objects = [...base, ...two, web("three", ["10.0.0.3"], http(9090), http(80))];
    await run(objects);
    expectRows(objects);
    const term = (family: string, number: string) =>
      `(ip${family}.dst == $${setName(`${number}:v${family}`)} && tcp.dst == ${number})`;
    const group = hashedName(new Map([[keys.id, "default-network-controller:AdminNetworkPolicy:named"]]));
    const [peers4, peers6] = ["v4", "v6"].map((family) =>
      hashedName(
        new Map([[keys.id, `default-network-controller:AdminNetworkPolicy:named:Ingress:0:${family}`]]),
      ),
    );
    const terms = [term("4", "80"), term("4", "8080"), term("6", "8080"), term("4", "9090")];
    expect(matches()).toEqual([
      `outport == @${group} && ((ip4.src == $${peers4} || ip6.src == $${peers6})) && tcp && (${terms.join(" || ")})`,
    ]);
    const row = await ovn.nbctl(
      ...["--bare", "--columns=name,addresses", "find", "Address_Set"],
      'external_ids{>=}{"k8s.ovn.org/name"=named,gress-index="0",port-policy-protocol=tcp-namedPort,port-number="8080",ip-family=v4}',
    );
    expect(row.trim().split("\n")).toEqual([setName("8080:v4"), "10.0.0.1 10.0.0.2"]);
  });

  describe("a pod", () => {
    const newcomer = web("late", ["10.0.0.9"], http(8080));

    test("of a known number is one element of one set more, and no ACL is written", async () => {
      const controller = await run([...base, ...two]);
      const evaluations = controller.groups.stats.selectorEvaluations;
      // The peers' set, and the set of the number.
      expect(await told(controller, newcomer)).toEqual([["mutate Address_Set", "mutate Address_Set"]]);
      expectRows([...base, ...two, newcomer]);
      controller.source.delete(keyOf(newcomer));
      await controller.loop.idle();
      expect(summaries()[1]).toEqual(["mutate Address_Set", "mutate Address_Set"]);
      expectRows([...base, ...two]);
      expect(controller.groups.stats.selectorEvaluations).toBe(evaluations);
    });

    test("that moves to another address is taken out of the set and put in again at once", async () => {
      const controller = await run([...base, ...two]);
      const moved = web("two", ["10.0.0.22"], http(8080));
      expect(await told(controller, moved)).toEqual([["mutate Address_Set", "mutate Address_Set"]]);
      expectRows([...base, ...two.slice(0, 1), moved]);
    });

    test("costs as many bytes among three pods as among a hundred", async () => {
      const bytes: number[] = [];
      for (const size of [3, 100]) {
        const controller = await run([...base, ...crowd(size)]);
        await told(controller, newcomer);
        controller.source.delete(keyOf(newcomer));
        await controller.loop.idle();
        expect(
          summaries()
            .flat()
            .every((operation) => operation === "mutate Address_Set"),
        ).toBe(true);
        bytes.push(JSON.stringify(transactions, jsonOfSets).length);
        await controller.stop();
      }
      expect(bytes[0]).toBe(bytes[1]);
    });

    test("looks at as many pods among a hundred as among three", async () => {
      const asked: number[] = [];
      for (const size of [3, 100]) {
        const controller = await run([...base, ...crowd(size)]);
        const pods = counted(controller);
        await told(controller, newcomer);
        controller.source.delete(keyOf(newcomer));
        await controller.loop.idle();
        asked.push(pods());
        await controller.stop();
      }
      expect(asked[0]).toBeGreaterThan(0);
      expect(asked[0]).toBe(asked[1]);
    });

    test("that shares an address keeps its number's set, and only that", async () => {
      const heir = web("heir", ["10.0.0.2"], http(9090));
      const controller = await run([...base, ...two, heir]);
      controller.source.delete(keyOf(two[1] ?? heir));
      await controller.loop.idle();
      expectRows([...base, ...two.slice(0, 1), heir]);
      const set = actualTables(session.cache).Address_Set.find(({ name }) => name === setName("9090:v4"));
      expect(set?.addresses).toEqual(["10.0.0.2"]);
    });
  });

  describe("a number", () => {
    test("that comes is a set and a match in one transaction, and goes the same way", async () => {
      const controller = await run([...base, ...two]);
      const other = web("other", ["10.0.0.9"], http(9090));
      expect(await told(controller, other)).toEqual([
        ["insert Address_Set", "mutate Address_Set", "update ACL"],
      ]);
      expectRows([...base, ...two, other]);
      transactions.length = 0;
      controller.source.delete(keyOf(other));
      await controller.loop.idle();
      expect(summaries()).toEqual([["delete Address_Set", "mutate Address_Set", "update ACL"]]);
      expectRows([...base, ...two]);
    });

    test("that is the last takes the ACL with it", async () => {
      const controller = await run([...base, ...two]);
      for (const gone of two) controller.source.delete(keyOf(gone));
      await controller.loop.idle();
      expectRows(base);
      expect(matches()).toEqual([]);
      expect(actualTables(session.cache).Address_Set).toHaveLength(2);
      expect(transactions).toHaveLength(1);
    });

    test("whose set's name a foreign row holds leaves the ACL as it was", async () => {
      const controller = await run([...base, ...two]);
      const before = matches();
      await ovn.nbctl("create", "Address_Set", `name=${setName("9090:v4")}`);
      await told(controller, web("other", ["10.0.0.9"], http(9090)));
      expect([...controller.refused.keys()]).toEqual(["AdminNetworkPolicy.policy.networking.k8s.io/named"]);
      expect(matches()).toEqual(before);
    });
  });

  test.each([
    ["list", "sets"],
    ["sets", "list"],
  ] as const)("a restart from %s to %s changes the rows in one transaction", async (from, to) => {
    const objects = [...base, ...two];
    await (await run(objects, from)).stop();
    expectRows(objects, from);
    await session.close();
    session = openNorthbound(ovn.nb);
    await session.opened();
    await run(objects, to);
    expectRows(objects, to);
    expect(session.stats.transactions).toBe(1);
  });

  test("a restart on an unchanged cluster writes nothing", async () => {
    await (await run([...base, ...two])).stop();
    await session.close();
    session = openNorthbound(ovn.nb);
    await session.opened();
    await run([...base, ...two]);
    expect(session.stats.operations).toBe(0);
  });

  const edits: readonly (readonly [string, (set: string) => readonly string[]])[] = [
    ["an address too many", (set) => ["add", "Address_Set", set, "addresses", "6.6.6.6"]],
    ["an emptied set", (set) => ["clear", "Address_Set", set, "addresses"]],
    ["a deleted set", (set) => ["destroy", "Address_Set", set]],
    ["a set without its owner", (set) => ["clear", "Address_Set", set, "external_ids"]],
    ["an extra external id", (set) => ["set", "Address_Set", set, "external_ids:mine=1"]],
    [
      "a set of a number that nobody has",
      () => [
        ...["create", "Address_Set", "name=stray"],
        ...["owner-type=AdminNetworkPolicy", "name=named", "owner-controller=default-network-controller"].map(
          (id) => `external_ids:"k8s.ovn.org/${id.replace("=", '"=')}`,
        ),
        'external_ids:port-number="1"',
      ],
    ],
  ];
  test.each(edits)("%s is put right", async (_, edit) => {
    const controller = await run([...base, ...two]);
    await ovn.nbctl(...edit(setName("8080:v4")));
    await eventually(async () => {
      await controller.loop.idle();
      const fresh = openNorthbound(ovn.nb);
      await fresh.opened();
      const tables = actualTables(fresh.cache);
      await fresh.close();
      expect(tables.Address_Set).toEqual(freshTables([...base, ...two], options()).Address_Set);
    });
  });

  test.each(["list", "sets"] as const)(
    "as %s, a pod and an edit that wait for the database together leave nothing of before",
    async (form) => {
      const dns = web("one", ["10.0.0.1"], http(8080), { name: "dns", protocol: "udp", port: 53 });
      const controller = await run([...base, dns], form);
      await ovn.killNb();
      await eventually(() => {
        expect(session.ready).toBe(false);
      });
      const late = web("two", ["10.0.0.2"], http(8081));
      controller.source.set(late);
      await controller.loop.idle();
      controller.source.set(policy("dns"));
      await controller.loop.idle();
      await ovn.restartNb();
      await eventually(async () => {
        await controller.loop.idle();
        expectRows([namespace("a"), policy("dns"), dns, late], form);
      });
    },
  );

  test("cleanup takes the sets too", async () => {
    const controller = await run([...base, ...two]);
    await controller.stop();
    await removeOwnedRows(new NorthboundWriter({ session }), new Actual(session.cache, rowOwners(owners)));
    expect(actualTables(session.cache)).toEqual({ Port_Group: [], Address_Set: [], ACL: [] });
  });
});

function jsonOfSets(_: string, value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}

/** How many pods' facts are asked for from now on. */
function counted({ groups }: TestController): () => number {
  let asked = 0;
  const pod = groups.pod.bind(groups);
  groups.pod = (key: ReturnType<typeof podKey>) => {
    asked++;
    return pod(key);
  };
  return () => asked;
}
