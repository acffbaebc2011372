// Two selectors whose documented texts have one FNV-1a hash, on a real ovsdb-server: a search over some 2^32 labels found the
// pair. Whose set stands keeps it, in whatever order the policies come: no address of the other's choice gets into its rules.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { actualTables } from "../support/actual-tables.ts";
import type { TestController } from "../support/controller.ts";
import { MemorySource, freshTables, keyOf, openNorthbound } from "../support/controller.ts";
import { nameOf } from "../support/documented-netpol.ts";
import { eventually } from "../support/eventually.ts";
import { namespace, pod } from "../support/facts.ts";
import { Database } from "../support/database.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { np } from "../support/policies.ts";

const options = { families: ["v4" as const], zone: null, installed: everyDialect.dialects };
const owners = rowOwners(everyDialect.owners);
const [one, two] = ["vHT8fVKMn7vIv", "vTZ9a8q4vqwCv"] as const;
const textOf = (app: string) => `b_LS{ML:{app: ${app},},}`;
const name = nameOf("PodSelector", textOf(one), "v4");

const facts = [
  namespace("b"),
  pod("b", "one", { labels: { app: one }, ips: ["10.0.0.1"] }),
  pod("b", "two", { labels: { app: two }, ips: ["10.0.0.2"] }),
];
const admitting = (policy: string, app: string) =>
  np(policy, { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app } } }] }] }, "b");
const first = admitting("m-first", one);
/** One that is read before the first, and one that is read after it. */
const seconds = [admitting("a-second", two), admitting("z-second", two)] as const;

test("the two have one name", () => {
  expect(nameOf("PodSelector", textOf(two), "v4")).toBe(name);
});

await describeWithOvn("selectors whose sets would have one name", () => {
  /** What the set held at any state of the database, and whose it was. */
  const seen = new Set<string>();
  const database: Database = new Database({
    ports: ["b_one", "b_two"],
    open: (remote) => openNorthbound(remote, {}, options),
    watch: (session) => {
      seen.clear();
      session.subscribe({
        changed: () => {
          for (const row of rows().Address_Set)
            seen.add(`${row.external_ids["k8s.ovn.org/name"] ?? ""} ${row.addresses.join()}`);
        },
      });
    },
  });

  async function run(objects: readonly WorldObject[], weight?: number): Promise<TestController> {
    const source = new MemorySource(objects);
    return database.settled(source, { ...options, transactionWeight: weight });
  }
  const rows = () => actualTables(database.session.cache, owners);
  const setOf = (app: string, address: string) => `${textOf(app)} ${address}`;
  const refusal = (app: string) =>
    expect.objectContaining({
      code: "RowRefused",
      message: expect.stringContaining(`peer, ${textOf(app)},`),
    });

  test.each(seconds)(
    "the policy that comes second is refused, and has its set when the other goes",
    async (second) => {
      const { source, loop, refused, settled } = await run([...facts, first]);
      source.set(second);
      await loop.idle();
      expect([...refused]).toEqual([[keyOf(second), [refusal(two)]]]);
      expect(rows()).toEqual(freshTables([...facts, first], options));
      // The first goes on following its pods.
      source.set(pod("b", "one", { labels: { app: one }, ips: ["10.0.0.7"] }));
      await loop.idle();
      expect([...seen]).toEqual([setOf(one, "10.0.0.1"), setOf(one, "10.0.0.7")]);
      source.delete(keyOf(first));
      await eventually(async () => {
        await loop.idle();
        expect(settled.has(keyOf(second))).toBe(true);
        expect(rows()).toEqual(freshTables([...facts, second], options));
      });
    },
  );

  test.each(seconds)("a restart leaves the set to whose it is, in either order", async (second) => {
    await run([...facts, first]);
    await database.restart();
    const before = rows();
    const { refused } = await run([...facts, second, first]);
    expect([...refused.keys()]).toEqual([keyOf(second)]);
    expect(rows()).toEqual(before);
    await database.restart();
    // The first cannot be read any more: its rows are frozen, and nobody else's.
    const broken = np("m-first", { podSelector: 5 }, "b");
    const again = await run([...facts, second, broken]);
    expect(again.refused.get(keyOf(second))).toEqual([refusal(two)]);
    expect(rows().Address_Set).toEqual(before.Address_Set);
    expect(rows().ACL.filter(({ action }) => action !== "drop")).toEqual(
      before.ACL.filter(({ action }) => action !== "drop"),
    );
  });

  test.each([undefined, 1])(
    "of two that come at once one is written, with its own addresses alone",
    async (weight) => {
      const { refused } = await run([...facts, first, ...seconds], weight);
      const { Address_Set } = rows();
      const isFirst = Address_Set[0]?.external_ids["k8s.ovn.org/name"] === textOf(one);
      const existing = isFirst ? [first] : seconds;
      expect([...refused.keys()].sort()).toEqual((isFirst ? seconds : [first]).map(keyOf).sort());
      const wanted = freshTables([...facts, ...existing], options);
      expect(Address_Set).toEqual(wanted.Address_Set);
      // What was written ahead of a refused policy has no ports, and acts on nobody.
      const acting = rows().Port_Group.filter(({ ports }) => ports.length > 0);
      expect(acting).toEqual(wanted.Port_Group.filter(({ ports }) => ports.length > 0));
      expect(seen.size).toBe(1);
    },
  );
});
