// What watches connections that no policy judges, on a real ovsdb-server: one group of all subjects, which follows policies and
// pods, is swept without --observe watch, and holds up no policy where the database refuses it.

import { expect, test } from "@jest/globals";
import { systemClock } from "../../src/lib/clock.ts";
import { keyOf } from "../support/controller.ts";
import type { ControllerOptions, TestController } from "../support/controller.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { actualTables } from "../support/actual-tables.ts";
import { Database } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, banp, namespacesWith } from "../support/policies.ts";

const base = { families: ["v4" as const], zone: null };
const sampling = { setId: 79, probability: 65_535 };
const watching = { ...base, sampling, watches: true };
const deny = [{ action: "Deny", from: [{ namespaces: {} }] }];
const of = (name: string, priority: number) =>
  anp(name, { priority, subject: namespacesWith({ name }), ingress: deny });
const [one, two] = [of("one", 1), of("two", 2)];
const podOf = (home: string, name: string, last: number) => pod(home, name, { ips: [`10.0.0.${last}`] });
const facts = [
  ...["one", "two", "three"].map((name) => namespace(name, { name })),
  ...[podOf("one", "a", 1), podOf("two", "a", 2), podOf("three", "a", 3)],
];
const world = [...facts, one, banp({ subject: namespacesWith({ name: "one" }), ingress: deny })];

await describeWithOvn("connections that no policy judges", () => {
  const database = new Database({
    ports: ["one_a", "one_b", "two_a", "three_a"],
    open: (remote) => openNorthbound(remote, {}, { ...base, sampling }),
  });
  async function restart(options: ControllerOptions, objects = world): Promise<TestController> {
    await database.restart();
    return await database.settled(new MemorySource(objects), options);
  }
  const isWatch = ({ external_ids: ids }: { readonly external_ids: Readonly<Record<string, string>> }) =>
    ids["k8s.ovn.org/owner-type"] === "NorthgateSampling";
  const tables = () => actualTables(database.session.cache);
  const watched = () => tables().Port_Group.find(isWatch)?.ports ?? null;
  const acls = () => tables().ACL.filter(isWatch);

  test("are sampled on one group of the subjects of all policies", async () => {
    const { source, loop } = await restart(watching);
    expect(tables()).toEqual(freshTables(world, watching));
    expect(watched()).toEqual(["one_a"]);
    expect(acls()).toMatchObject([
      {
        tier: 3,
        priority: 0,
        action: "pass",
        direction: "from-lport",
        options: { "apply-after-lb": "true" },
      },
      { tier: 3, priority: 0, action: "pass", direction: "to-lport", log: false },
    ]);
    const [b] = [podOf("one", "b", 4)];
    source.set(b, two);
    await loop.idle();
    expect(watched()).toEqual(["one_a", "one_b", "two_a"]);
    source.delete(keyOf(b));
    await loop.idle();
    expect(watched()).toEqual(["one_a", "two_a"]);
    // Two policies have this subject.
    source.delete(keyOf(one));
    await loop.idle();
    expect(watched()).toEqual(["one_a", "two_a"]);
    await restart(watching, [...facts, two, world.at(-1) ?? two]);
    expect(database.session.stats.operations).toBe(0);
    const bare = await restart(watching, facts);
    await bare.loop.idle();
    expect([watched(), acls()]).toEqual([null, []]);
    expect([...database.session.cache.table("Sample").entries()]).toEqual([]);
  });

  test("are sampled no more where a run does not ask for it", async () => {
    await restart(watching);
    const { backend } = await restart({ ...base, sampling });
    expect([watched(), acls()]).toEqual([null, []]);
    expect(tables()).toEqual(freshTables(world, base));
    expect(backend.corrections.counts).toEqual({ repair: 0, sweep: 1, takeover: 0 });
    await restart({ ...base, sampling });
    expect(database.session.stats.operations).toBe(0);
  });

  test("what another client changes of it is put right", async () => {
    const { loop, backend } = await restart(watching);
    await database.ovn.nbctl("set", "ACL", "watch:Ingress", "action=drop");
    await eventually(async () => {
      await loop.idle();
      expect(backend.corrections.counts.repair).toBe(1);
    });
    expect(tables()).toEqual(freshTables(world, watching));
    await database.ovn.nbctl("--all", "destroy", "Port_Group");
    await eventually(async () => {
      await loop.idle();
      expect(tables()).toEqual(freshTables(world, watching));
    });
  });

  test("a group that the database refuses holds up no policy", async () => {
    const [group] = freshTables(world, watching).Port_Group.filter(isWatch);
    await database.ovn.nbctl("create", "Port_Group", `name=${group?.name ?? ""}`, "external_ids:owner=other");
    const { settled, refused, source, loop } = await restart({ ...watching, clock: systemClock });
    expect([settled.size, refused.size]).toEqual([2, 0]);
    expect(tables()).toEqual(freshTables(world, base));
    await database.ovn.nbctl("destroy", "Port_Group", group?.name ?? "");
    source.set(two);
    await loop.idle();
    expect(watched()).toEqual(["one_a", "two_a"]);
  });
});
