// What a change may cost where policies share their sets, counted on a real ovsdb-server: the cluster of the other budgets,
// in ClusterNetworkPolicies, and in AdminNetworkPolicies that are told to share. A pod is one element of one set for each
// selector that selects it and each family, however many rules and policies have that selector.

import { expect, test } from "@jest/globals";
import type { PolicyObject, WorldObject } from "../../src/model/object.ts";
import type { AddressSetForm } from "../../src/nbdb/rows/render-mode.ts";
import { actualTables } from "../support/actual-tables.ts";
import { guardOf, http, podOf, rendering, shopWeb, worldOf } from "../support/budget-world.ts";
import { freshTables, keyOf } from "../support/controller.ts";
import type { Change } from "../support/describe-metered.ts";
import { changed, costOfChange, describeMetered } from "../support/describe-metered.ts";
import type { Writes } from "../support/metered.ts";
import { asClusterPolicy } from "../support/policies.ts";

interface Kind {
  readonly kind: string;
  readonly of: (policy: PolicyObject) => PolicyObject;
  readonly addressSets?: AddressSetForm;
  /** Of the policy that comes behind the others. */
  readonly last: number;
}

const kinds: readonly Kind[] = [
  { kind: "ClusterNetworkPolicy", of: asClusterPolicy, last: 1000 },
  { kind: "AdminNetworkPolicy", of: (policy) => policy, addressSets: "shared", last: 99 },
];

const worldIn = ({ of }: Kind, bystanders = 2): readonly WorldObject[] =>
  worldOf({ bystanders }).map((object) => ("spec" in object ? of(object) : object));

/** The same rules under other names: as many more users of the same selectors. */
const again = ({ of }: Kind, count: number): readonly PolicyObject[] =>
  Array.from({ length: count }, (_, n) => ({
    ...of(shopWeb({ priority: 50 + n })),
    name: `again-${n}`,
  }));

const known = podOf("shop", "web", 900);
const server = podOf("bank", "web", 900, { ports: [http] });
const newcomers = [known, server];

interface Budget extends Change {
  readonly event: string;
  readonly writes: Writes;
}

const budgetsOf = (kind: Kind): readonly Budget[] => [
  {
    event: "a pod comes that two selectors of peers select",
    set: [known],
    // Shop's web pods are peers of two policies, and everyone is of one; two families each.
    writes: { "mutate Address_Set: addresses +1": 4, "mutate Port_Group: ports +1": 1 },
  },
  {
    event: "a pod goes",
    gone: [podOf("shop", "web", 0)],
    writes: { "mutate Address_Set: addresses -1": 4, "mutate Port_Group: ports -1": 1 },
  },
  {
    event: "a pod comes whose port a rule names",
    set: [server],
    // Bank's pods, bank's web pods and everyone. The match of named ports is about both families.
    writes: {
      "update ACL: match": 1,
      "mutate Address_Set: addresses +1": 6,
      "mutate Port_Group: ports +1": 1,
    },
  },
  {
    event: "one port of a rule is another",
    set: [kind.of(shopWeb({}, 8443))],
    // An ACL a family.
    writes: { "update ACL: match": 2 },
  },
  {
    event: "a policy of known selectors comes behind the others",
    set: [kind.of({ ...guardOf("bank"), spec: { ...guardSpec("bank"), priority: kind.last } })],
    writes: { "insert ACL": 2, "insert Port_Group": 1 },
  },
  { event: "everything is told again", set: worldIn(kind), writes: {} },
];

function guardSpec(tenant: "bank"): object {
  const { spec } = guardOf(tenant);
  return typeof spec === "object" && spec !== null ? spec : {};
}

for (const kind of kinds) {
  const { addressSets = "rule" } = kind;
  const mode = { addressSets };
  await describeMetered(`a change where sets are shared, of ${kind.kind}`, (meters) => {
    test.each(budgetsOf(kind))("$event", async ({ writes, ...change }) => {
      const metered = await meters().run(worldIn(kind), newcomers, mode);
      const cost = await costOfChange(metered, change);
      expect(cost.writes).toEqual(writes);
      expect(cost.evaluations).toBe(0);
      expect(cost.transactions).toBe(Object.keys(writes).length === 0 ? 0 : 1);
      expect(actualTables(metered.session.cache)).toEqual(
        freshTables(changed(worldIn(kind), change), { ...rendering, ...mode }),
      );
    });

    test("a pod costs no more elements of sets with twenty more policies of the same selectors", async () => {
      const world = [...worldIn(kind), ...again(kind, 20)];
      const metered = await meters().run(world, newcomers, mode);
      const { writes, transactions } = await costOfChange(metered, { set: [known] });
      // Only the port group of each policy is more.
      expect(writes).toEqual({ "mutate Address_Set: addresses +1": 4, "mutate Port_Group: ports +1": 21 });
      expect(transactions).toBe(1);
    });

    test("a policy of many that goes, or whose like comes, touches no set", async () => {
      const world = [...worldIn(kind), ...again(kind, 5)];
      const last = again(kind, 5).at(-1);
      if (last === undefined) throw new Error("no policy");
      const metered = await meters().run(world, [], mode);
      const sets = ({ writes }: { readonly writes: Writes }) =>
        Object.keys(writes).filter((written) => written.includes("Address_Set"));
      expect(sets(await costOfChange(metered, { gone: [last] }))).toEqual([]);
      expect(sets(await costOfChange(metered, { set: [last] }))).toEqual([]);
      const keys = world.filter((object) => "spec" in object).map(keyOf);
      expect([...metered.controller.settled].sort()).toEqual(keys.sort());
    });

    test("a restart writes nothing", async () => {
      await meters().run(worldIn(kind), newcomers, mode);
      const { start } = await meters().runAgain(worldIn(kind), mode);
      expect([start.writes, start.transactions]).toEqual([{}, 0]);
    });
  });
}
