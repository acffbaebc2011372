// What ACLs are sampled with, on a real ovsdb-server: a row and a number for each, beside those of others, which stay; what
// another client changes is put right; a program that starts again writes nothing.

import { expect, test } from "@jest/globals";
import type { WorldObject } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { fnv1a32 } from "../../src/nbdb/rows/match/documented-hash.ts";
import type { Sampling } from "../../src/nbdb/rows/render-mode.ts";
import type { Uuid } from "../../src/ovsdb/index.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { ControllerOptions, TestController } from "../support/controller.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, namespacesWith } from "../support/policies.ts";
import { LineLogger } from "../support/scripted-api.ts";

const sampling: Sampling = { setId: 79, probability: 65_535 };
const base = { families: ["v4" as const], zone: null };
const options: ControllerOptions = { ...base, sampling };
const http = { name: "http", protocol: "tcp" as const, port: 80 };
const rules = (first: string) =>
  anp("rules", {
    priority: 1,
    subject: namespacesWith({ tenant: "a" }),
    ingress: [
      { action: first, from: [{ namespaces: {} }], ports: [{ portNumber: { protocol: "TCP", port: 443 } }] },
      { action: "Allow", from: [{ namespaces: {} }], ports: [{ namedPort: "http" }] },
    ],
    egress: [{ action: "Pass", to: [{ networks: ["192.0.2.0/24"] }] }],
  });
const world: readonly WorldObject[] = [
  namespace("a", { tenant: "a" }),
  pod("a", "one", { ips: ["10.0.0.1"], ports: [http] }),
  rules("Deny"),
];

await describeWithOvn("ACLs that are sampled", () => {
  const database = new Database({
    ports: ["a_one", "a_two"],
    open: (remote) => openNorthbound(remote, {}, { ...base, sampling }),
  });
  const table = <T extends "Sample" | "Sample_Collector" | "Sampling_App" | "ACL">(name: T) => [
    ...database.session.cache.table(name).entries(),
  ];
  const nbctl = (...args: readonly string[]) => database.ovn.nbctl(...args);

  async function start(objects = world, over: Partial<ControllerOptions> = {}): Promise<TestController> {
    await nbctl("--all", "destroy", "Sampling_App");
    await nbctl("--all", "destroy", "Sample_Collector");
    return await restart(objects, over);
  }

  async function restart(objects = world, over: Partial<ControllerOptions> = {}): Promise<TestController> {
    await database.restart();
    return await database.settled(new MemorySource(objects), { ...options, ...over });
  }

  /** By the id of its ACL, the number of each Sample. Every Sample is referred to by both columns of one ACL. */
  function numbers(): ReadonlyMap<string, number> {
    const samples = new Map(table("Sample"));
    const ours = table("ACL").filter(([, row]) => row.external_ids.has(keys.id));
    const referred = ours.map(([, row]) => row.sample_new);
    expect(new Set(referred).size).toBe(ours.length);
    return new Map(
      ours.map(([, row]) => {
        expect(row.sample_est).toBe(row.sample_new);
        const sample = samples.get(row.sample_new ?? ("" as Uuid));
        expect([...(sample?.collectors ?? [])]).toEqual([collector().uuid]);
        return [row.external_ids.get(keys.id) ?? "", sample?.metadata ?? 0];
      }),
    );
  }

  function collector() {
    const ours = table("Sample_Collector").filter(([, row]) => row.external_ids.has(keys.id));
    expect(ours).toHaveLength(1);
    const [[uuid, row] = [undefined, undefined]] = ours;
    if (uuid === undefined) throw new Error("there is no collector");
    return { uuid, row };
  }

  const apps = () => new Map(table("Sampling_App").map(([, { type, id }]) => [type, id]));
  const idIn = (numbered: ReadonlyMap<string, number>, part: string) =>
    [...numbered].find(([id]) => id.includes(part)) ?? ["", 0];

  test("each has a Sample of its own, whose number follows from its text", async () => {
    await start();
    const { ACL: acls } = freshTables(world, base);
    expect(actualTables(database.session.cache).ACL).toEqual(acls);
    const found = numbers();
    expect(found.size).toBe(3);
    for (const { external_ids: ids, match, action } of acls) {
      const id = ids[keys.id] ?? "";
      if (!id.includes("namedPort"))
        expect([id, found.get(id)]).toEqual([id, fnv1a32(`${id}${match}${action}`)]);
    }
    expect(collector().row).toMatchObject({ id: 1, set_id: 79, probability: 65_535 });
    expect(apps()).toEqual(new Map([["acl-new", 2], ["acl-est", 3]])); // prettier-ignore
    await restart();
    expect(database.session.stats.operations).toBe(0);
    expect(numbers()).toEqual(found);
  });

  test("a number that another Sample has gives the next free one, and the other stays as it is", async () => {
    await start();
    const [id, own] = idIn(numbers(), "Ingress:0");
    await database.restart();
    await nbctl("--all", "destroy", "Port_Group");
    const planted = ["ls_one", "ls_two"].map((name, at) => plant(name, own + at));
    for (const args of planted) await nbctl(...args);
    await restart();
    expect(numbers().get(id)).toBe(own + 2);
    const theirs = () =>
      table("Sample").flatMap(([, { metadata, collectors }]) => (collectors.size === 0 ? [metadata] : []));
    expect(theirs().sort()).toEqual([own, own + 1]);
    await restart();
    expect(database.session.stats.operations).toBe(0);
    // The numbers before it are free again: what exists stays.
    await nbctl("ls-del", "ls_one", "--", "ls-del", "ls_two");
    await restart();
    expect([database.session.stats.operations, numbers().get(id), theirs()]).toEqual([0, own + 2, []]);
  });

  test("a Sample that another program gave our ACL is replaced by one of ours, though it has our number", async () => {
    await start();
    const before = numbers();
    const rows = actualTables(database.session.cache);
    const [id, own] = idIn(before, "Ingress:0");
    const acl = table("ACL").find(([, row]) => row.external_ids.get(keys.id) === id)?.[0] ?? "";
    await database.restart();
    const theirs = ["--id=@c", "create", "Sample_Collector", "id=200", "set_id=42", "probability=65535"];
    await nbctl("clear", "ACL", acl, "sample_new", "sample_est");
    await nbctl(
      ...[...theirs, "--", "--id=@s", "create", "Sample", `metadata=${own}`, "collectors=@c"],
      ...["--", "set", "ACL", acl, "sample_new=@s", "sample_est=@s"],
    );
    await restart();
    expect(numbers()).toEqual(new Map([...before, [id, own + 1]]));
    expect([table("Sample").length, actualTables(database.session.cache)]).toEqual([3, rows]);
    // What they had is theirs.
    expect(
      table("Sample_Collector")
        .map(([, row]) => row.set_id)
        .sort(),
    ).toEqual([42, 79]);
    await restart();
    expect(database.session.stats.operations).toBe(0);
  });

  test("a pod that comes writes no Sample, also where a rule names its port", async () => {
    const { source, loop } = await start();
    const before = numbers();
    source.set(pod("a", "two", { ips: ["10.0.0.2"], ports: [http] }));
    const { operations } = database.session.stats;
    await loop.idle();
    const matches = table("ACL").map(([, { match }]) => match);
    expect(matches.some((match) => match.includes("10.0.0.2"))).toBe(true);
    expect(numbers()).toEqual(before);
    // The members of the port group and of two sets, and one match.
    expect(database.session.stats.operations - operations).toBe(4);
  });

  test("a rule that says something else has another number, and no other rule has", async () => {
    const { source, loop } = await start();
    const before = numbers();
    source.set(rules("Allow"));
    await loop.idle();
    const [id] = idIn(before, "Ingress:0");
    const after = numbers();
    expect(after.get(id)).not.toBe(before.get(id));
    expect(new Map([...after, [id, before.get(id)]])).toEqual(before);
    expect(table("Sample")).toHaveLength(3);
    source.set(rules("Deny"));
    await loop.idle();
    expect(numbers()).toEqual(before);
  });

  test.each([
    ["in the order of evaluation", []],
    ["ahead of what takes effect", [rules("Deny")]],
  ])("of many policies, rows that are written %s have their Samples at once", async (_, first) => {
    const deny = [{ action: "Deny", from: [{ namespaces: {} }] }];
    const policies = Array.from({ length: 12 }, (__, at) =>
      anp(`many-${at}`, { priority: 10 + at, subject: namespacesWith({ tenant: "a" }), ingress: deny }),
    );
    await start([...world.slice(0, 2), ...first]);
    const weights = { transactionWeight: 5, orderedWeight: 5 };
    const { settled } = await restart([...world, ...policies], weights);
    expect([settled.size, numbers().size]).toEqual([13, 15]);
    expect(database.session.stats.transactions).toBeGreaterThan(3);
    const inserted = database.session.stats.operations;
    await restart([...world, ...policies]);
    expect([inserted > 0, database.session.stats.operations]).toEqual([true, 0]);
  });

  test("what another client changes is put right", async () => {
    const { backend, loop } = await start();
    const before = numbers();
    const [id] = idIn(before, "Ingress:0");
    const acl = () => table("ACL").find(([, row]) => row.external_ids.get(keys.id) === id)?.[0] ?? "";
    const [other] = table("ACL").flatMap(([uuid, row]) => (uuid === acl() ? [] : [row.sample_new ?? ""]));
    const sampleOf = () => table("ACL").find(([uuid]) => uuid === acl())?.[1].sample_new ?? "";
    const edits: Readonly<Record<string, () => Promise<unknown>>> = {
      "a column is cleared": () => nbctl("clear", "ACL", acl(), "sample_est"),
      "two ACLs share a Sample": () =>
        nbctl("set", "ACL", acl(), `sample_new=${other}`, `sample_est=${other}`),
      "a Sample goes to nobody": () => nbctl("clear", "Sample", sampleOf(), "collectors"),
      "a Sample has another number": () => nbctl("set", "Sample", sampleOf(), "metadata=7"),
      "an application is removed": () => nbctl("--all", "destroy", "Sampling_App"),
      "the collector has another rate": () =>
        nbctl("set", "Sample_Collector", collector().uuid, "probability=1"),
      "the collector is another set": () => nbctl("set", "Sample_Collector", collector().uuid, "set_id=42"),
    };
    for (const [what, edit] of Object.entries(edits)) {
      const { repair } = backend.corrections.counts;
      await edit();
      await eventually(async () => {
        await loop.idle();
        expect([what, backend.corrections.counts.repair > repair]).toEqual([what, true]);
      });
      expect([what, numbers().size]).toEqual([what, 3]);
      expect(collector().row).toMatchObject({ set_id: 79, probability: 65_535 });
      expect(apps().get("acl-new")).toBe(2);
    }
    const now = numbers();
    await restart();
    expect([database.session.stats.operations, numbers()]).toEqual([0, now]);
  });

  test("a collector that does not show as ours any more is replaced, and every Sample with it", async () => {
    const { loop } = await start();
    const { uuid } = collector();
    await nbctl("clear", "Sample_Collector", uuid, "external_ids");
    await eventually(async () => {
      await loop.idle();
      expect(collector().row.id).toBe(2);
    });
    await eventually(() => {
      expect(numbers().size).toBe(3);
    });
    expect(table("Sample")).toHaveLength(3);
  });

  test("applications that exist keep their numbers, and an id that is taken gives the next free one", async () => {
    await nbctl("--all", "destroy", "Sampling_App");
    await nbctl("create", "Sampling_App", "type=drop", "id=3");
    await nbctl("create", "Sampling_App", "type=acl-new", "id=9");
    await nbctl("--all", "destroy", "Sample_Collector");
    await nbctl("create", "Sample_Collector", "id=1", "set_id=42", "probability=65535");
    await restart();
    expect(apps()).toEqual(new Map([["drop", 3], ["acl-new", 9], ["acl-est", 4]])); // prettier-ignore
    expect([collector().row.id, table("Sample_Collector").length]).toEqual([2, 2]);
    expect(numbers().size).toBe(3);
  });

  test("without a free id of a collector policies have their rows without Samples", async () => {
    await nbctl("--all", "destroy", "Sample_Collector");
    const creations = Array.from({ length: 255 }, (_, at) => [
      ...["--", "create", "Sample_Collector", `id=${at + 1}`, "set_id=1", "probability=1"],
    ]);
    await nbctl(...creations.flat().slice(1));
    const lines = new LineLogger();
    const { settled, loop, source, backend } = await restart(world, { logger: lines });
    const reason = "every id of Sample_Collector, 1 to 255, is taken";
    expect(lines.said).toEqual([["warn", "ACLs are not sampled", { reason }]]);
    expect(backend.sampling?.lines()).toEqual([`ACLs are not sampled: ${reason}`]);
    expect(settled.size).toBe(1);
    expect(actualTables(database.session.cache).ACL).toEqual(freshTables(world, base).ACL);
    expect(table("Sample")).toEqual([]);
    const [[free] = [""]] = table("Sample_Collector");
    await nbctl("destroy", "Sample_Collector", free);
    source.set(pod("a", "two", { ips: ["10.0.0.2"] }));
    await loop.idle();
    expect(numbers().size).toBe(3);
    expect(backend.sampling?.lines()).toEqual([]);
  });
});

/** Arguments that make a Sample of somebody else's, on a switch's own ACL. */
function plant(name: string, number: number): readonly string[] {
  return [
    ...["ls-add", name, "--", "--id=@s", "create", "Sample", `metadata=${number}`],
    ...["--", "--id=@a", "create", "ACL", "priority=1", "direction=to-lport", "match=ip4", "action=drop"],
    ...["sample_new=@s", "--", "add", "Logical_Switch", name, "acls", "@a"],
  ];
}
