// What a change may cost under Self and sameLabels, counted on a real ovsdb-server: every value has rows of its own, so that
// a new one inserts its rows and moves none, and a pod is one element of the rows of its own value, however many others
// there are.

import { expect, test } from "@jest/globals";
import { installed } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { actualTables } from "../support/actual-tables.ts";
import { acnp } from "../support/antrea.ts";
import { podOf, rendering } from "../support/budget-world.ts";
import { freshTables } from "../support/controller.ts";
import type { Change } from "../support/describe-metered.ts";
import { changed, costOfChange, describeMetered } from "../support/describe-metered.ts";
import { namespace, pod } from "../support/facts.ts";
import type { Writes } from "../support/metered.ts";
import { kindFlags } from "../support/dialects.ts";

const { dialects, owners } = installed(kindFlags({ antrea: true }));
const ofAntrea = { ...rendering, installed: dialects };

const walls = (peer: object) =>
  acnp("walls", {
    priority: 5,
    appliedTo: [{ namespaceSelector: {} }],
    ingress: [
      { action: "Allow", from: [peer] },
      { action: "Drop", from: [{ namespaceSelector: {} }] },
    ],
    egress: [{ action: "Pass", to: [peer] }],
  });
const self = walls({ namespaces: { match: "Self" } });
const sameTenant = walls({ namespaces: { sameLabels: ["tenant"] } });

const shopPods = [podOf("shop", "web", 0), podOf("shop", "db", 0)];
const bankPod = podOf("bank", "web", 0);
const other = pod("other", "first", { ips: ["101.104.1.1", "fd00:101:104:1::1"] });

/** With as many namespaces more, of a tenant and a pod each. */
function worldOf(policy: WorldObject, more = 0): readonly WorldObject[] {
  const spaces = Array.from({ length: more }, (_, at) => `more-${at}`);
  return [
    ...[policy, ...shopPods, bankPod],
    ...["shop", "bank"].map((name) => namespace(name, { tenant: name })),
    ...spaces.map((name) => namespace(name, { tenant: name })),
    ...spaces.map((name, at) => pod(name, "one", { ips: [`102.105.1.${at}`, `fd00:102:105:1::${at}`] })),
  ];
}

interface Budget extends Change {
  readonly event: string;
  readonly policy: WorldObject;
  readonly writes: Writes;
  /** One, or none where nothing is written, unless told. */
  readonly transactions?: number;
}

const known = podOf("bank", "web", 1);
const budgets: readonly Budget[] = [
  {
    event: "a namespace comes under Self",
    policy: self,
    set: [namespace("other")],
    // A group, a set of each family, and an ACL of each family for the rule of each direction that names Self.
    writes: { "insert ACL": 4, "insert Address_Set": 2, "insert Port_Group": 1 },
  },
  {
    event: "a namespace with a tenant of its own comes under sameLabels",
    policy: sameTenant,
    set: [namespace("other", { tenant: "other" })],
    writes: { "insert ACL": 4, "insert Address_Set": 2, "insert Port_Group": 1 },
  },
  {
    event: "a namespace with a known tenant comes under sameLabels",
    policy: sameTenant,
    set: [namespace("other", { tenant: "shop" })],
    writes: {},
  },
  {
    event: "a namespace comes with its first pod under Self",
    policy: self,
    set: [namespace("other"), other],
    // The pod is in the sets of everybody and in the policy's group; its own value's rows come with it in them.
    writes: {
      "insert ACL": 4,
      "insert Address_Set": 2,
      "insert Port_Group": 1,
      "mutate Address_Set: addresses +1": 2,
      "mutate Port_Group: ports +1": 1,
    },
  },
  {
    event: "a pod comes under Self",
    policy: self,
    set: [known],
    // Sets of its namespace and of everybody; the groups of its namespace and of the policy.
    writes: { "mutate Address_Set: addresses +1": 4, "mutate Port_Group: ports +1": 2 },
  },
  {
    event: "a pod goes under Self",
    policy: self,
    gone: [bankPod],
    writes: { "mutate Address_Set: addresses -1": 4, "mutate Port_Group: ports -1": 2 },
  },
  {
    event: "a namespace of two pods goes over to another tenant",
    policy: sameTenant,
    set: [namespace("shop", { tenant: "bank" })],
    // Nobody is left of its tenant of before: ACLs go with their groups.
    writes: {
      "delete Address_Set": 2,
      "delete Port_Group": 1,
      "mutate Address_Set: addresses +2": 2,
      "mutate Port_Group: ports +2": 1,
    },
    // What nobody uses any more goes after what takes its place.
    transactions: 2,
  },
  { event: "everything is told again", policy: self, set: worldOf(self), writes: {} },
];

await describeMetered("a change under Self and sameLabels", (meters) => {
  test.each(budgets)("$event", async ({ policy, writes, transactions, ...change }) => {
    for (const more of [0, 20]) {
      const world = worldOf(policy, more);
      const metered = await meters().run(world, [known, other], ofAntrea);
      const cost = await costOfChange(metered, change);
      expect(cost.writes).toEqual(writes);
      expect(cost.transactions).toBe(transactions ?? (Object.keys(writes).length === 0 ? 0 : 1));
      expect(actualTables(metered.session.cache, rowOwners(owners))).toEqual(
        freshTables(changed(world, change), ofAntrea),
      );
    }
  });
});
