// Two NetworkPolicies of different namespaces whose Port_Groups would have one name, on a real ovsdb-server: a search over some
// 2^32 names found the pair. Whose group stands keeps it, in whatever order the policies come: the rules of one never act on
// the pods of the other.

import { expect, test } from "@jest/globals";
import { everyDialect } from "../../src/dialects.ts";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
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
const texts = ["blue:mawnimq5ynzgg", "shop:ebo2rjb5fyeja"] as const;
const name = nameOf("NetworkPolicy", texts[0]);

/** Each lets in what the other does not. */
function policyOf(text: string, port: number): PolicyObject {
  const [space = "", own = ""] = text.split(":");
  return np(own, { podSelector: {}, ingress: [{ ports: [{ port }] }] }, space);
}
const [blue, shop] = [policyOf(texts[0], 80), policyOf(texts[1], 443)];
const facts = ["blue", "shop"].flatMap((space, at) => [
  namespace(space),
  pod(space, "web", { ips: [`10.0.${at}.1`] }),
]);
const textOf = (policy: PolicyObject): string => (policy === blue ? texts[0] : texts[1]);

test("the two have one name", () => {
  expect(nameOf("NetworkPolicy", texts[1])).toBe(name);
});

await describeWithOvn("policies whose port groups would have one name", () => {
  /** What the group was at any state of the database: whose, with which ports and which rules. */
  const seen = new Set<string>();
  const database: Database = new Database({
    ports: ["blue_web", "shop_web"],
    open: (remote) => openNorthbound(remote, {}, options),
    watch: (session) => {
      seen.clear();
      session.subscribe({
        changed: () => {
          const group = groupOf(rows());
          if (group !== null) seen.add(JSON.stringify(group));
        },
      });
    },
  });
  const rows = () => actualTables(database.session.cache, owners);
  const wanted = (...policies: readonly PolicyObject[]) => freshTables([...facts, ...policies], options);

  function groupOf({ Port_Group, ACL }: ReturnType<typeof rows>) {
    const group = Port_Group.find((one) => one.name === name);
    if (group === undefined) return null;
    const matches = ACL.filter(({ match }) => match.includes(name)).map(({ match }) => match);
    return { whose: group.external_ids["k8s.ovn.org/name"], ports: group.ports, acls: group.acls, matches };
  }

  async function run(objects: readonly WorldObject[], weight?: number): Promise<TestController> {
    const source = new MemorySource(objects);
    return database.settled(source, { ...options, transactionWeight: weight });
  }
  const refusal = (policy: PolicyObject) =>
    expect.objectContaining({
      code: "RowRefused",
      field: "metadata.name",
      message: `the name ${textOf(policy)} has the same hash as another, whose rows exist in the database: choose another name`,
    });

  const orders = [
    [blue, shop],
    [shop, blue],
  ] as const;

  test.each(orders)(
    "the one that comes second is refused, and is written when the other goes",
    async (first, second) => {
      const { source, loop, refused, settled } = await run([...facts, first]);
      source.set(second);
      await loop.idle();
      expect([...refused]).toEqual([[keyOf(second), [refusal(second)]]]);
      // It fails closed: what it was to isolate is isolated.
      const { namespace: space } = second;
      const denied = nameOf("NetpolNamespace", space ?? "", "Ingress");
      expect(rows().Port_Group.find((group) => group.name === denied)?.ports).toEqual([`${space ?? ""}_web`]);
      expect([...seen]).toEqual([JSON.stringify(groupOf(wanted(first)))]);
      source.delete(keyOf(first));
      await eventually(async () => {
        await loop.idle();
        expect(settled.has(keyOf(second))).toBe(true);
        expect(rows()).toEqual(wanted(second));
      });
      expect([...seen]).toEqual([first, second].map((one) => JSON.stringify(groupOf(wanted(one)))));
    },
  );

  test.each(orders)("a restart leaves the group to whose it is, in either order", async (first, second) => {
    await run([...facts, first]);
    const before = groupOf(rows());
    expect(before).toEqual(groupOf(wanted(first)));
    for (const objects of [
      [second, first],
      [first, second],
    ]) {
      await database.restart();
      const { refused } = await run([...facts, ...objects]);
      expect([...refused.keys()]).toEqual([keyOf(second)]);
      expect(groupOf(rows())).toEqual(before);
    }
    // The first cannot be read any more: its rows are frozen, and nobody else's.
    await database.restart();
    const broken = np(first.name, { podSelector: 5 }, first.namespace ?? "");
    const again = await run([...facts, second, broken]);
    expect(again.refused.get(keyOf(second))).toEqual([refusal(second)]);
    expect(groupOf(rows())).toEqual(before);
  });

  test.each([undefined, 1])(
    "of two that come at once one is written, with its own pods and rules alone",
    async (weight) => {
      const { refused } = await run([...facts, blue, shop], weight);
      const existing = groupOf(rows())?.whose === textOf(blue) ? blue : shop;
      expect([...refused.keys()]).toEqual([keyOf(existing === blue ? shop : blue)]);
      expect(groupOf(rows())).toEqual(groupOf(wanted(existing)));
      // What was written ahead has no ports, and acts on nobody.
      const acting = [...seen].filter((text) => !text.includes('"ports":[]'));
      expect(acting).toEqual([JSON.stringify(groupOf(wanted(existing)))]);
    },
  );
});
