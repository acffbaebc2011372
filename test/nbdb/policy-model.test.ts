// A change of the policy model on a real ovsdb-server: the start after it is one transaction, and leaves nothing of the model before.

import { expect, test } from "@jest/globals";
import { everyDialect, everyKind, installed } from "../../src/dialects.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { keys } from "../../src/nbdb/rows/names.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import { actualTables } from "../support/actual-tables.ts";
import { calicoTier, calnp, gnp } from "../support/calico.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { namespace, node, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { anp, cnp, np } from "../support/policies.ts";
import { allByOrder } from "../support/ranked-places.ts";

const from = [{ namespaces: {} }];
const model = (flags: Readonly<Record<string, string>>) => {
  const { dialects, tierLayout } = installed({ ...everyKind, ...flags });
  return { families: ["v4" as const], zone: null, installed: dialects, tierLayout };
};
const [kubernetes, calico] = [model({}), model({ "policy-model": "calico" })];
const everywhere: readonly WorldObject[] = [
  namespace("shop"),
  node("worker", {}, ["172.18.0.3"]),
  pod("shop", "web", { labels: { app: "web" }, ips: ["10.0.0.1"], node: "worker" }),
  anp("admin", { ingress: [{ action: "Deny", from }] }),
  cnp("deny", { priority: 10, ingress: [{ action: "Deny", from }] }),
  np("isolated", { podSelector: {} }),
];
const ofCalico: readonly WorldObject[] = [
  calicoTier("first", { order: 0.5 }),
  gnp("g", { tier: "first", ingress: [{ action: "Deny", protocol: "UDP" }] }),
  calnp("n", { ingress: [{ action: "Allow", source: { nets: ["192.0.2.0/24"] } }] }),
];

await describeWithOvn("the policy model", () => {
  const database: Database = new Database({
    ports: ["shop_web"],
    open: (remote) => openNorthbound(remote, {}, { ...kubernetes, installed: everyDialect.dialects }),
  });
  const rows = () => actualTables(database.session.cache, rowOwners(everyDialect.owners));
  const ownerTypes = () => new Set(rows().ACL.map(({ external_ids }) => external_ids[keys.ownerType]));

  test("changes in one transaction", async () => {
    await database.settled(new MemorySource(everywhere), kubernetes);
    expect(rows()).toEqual(freshTables(everywhere, kubernetes));
    expect(ownerTypes()).toEqual(expect.objectContaining(new Set(["AdminNetworkPolicy", "NorthgateNode"])));

    const world = [...everywhere, ...ofCalico];
    await database.restart();
    const changed = await database.settled(new MemorySource(world), calico);
    expect([...changed.refused.keys()]).toEqual([]);
    expect(allByOrder(rows())).toEqual(allByOrder(freshTables(world, calico)));
    expect(database.session.stats.transactions).toBe(1);
    expect([...ownerTypes()].sort()).toEqual([
      ...["CalicoGlobalNetworkPolicy", "CalicoNetworkPolicy", "ClusterNetworkPolicy", "NetpolNamespace"],
      "NorthgateNodeFirst",
    ]);
    const groups = rows().Port_Group.map(({ external_ids }) => external_ids[keys.ownerType]);
    expect(groups).toEqual(expect.arrayContaining(["CalicoGlobalNetworkPolicy", "ClusterNetworkPolicy"]));
    expect(groups).not.toContain("AdminNetworkPolicy");
  });

  test("has no rows of what is not enforced, and those of what is again", async () => {
    const ofHosts = (more: object) =>
      gnp("h", { applyOnForward: true, ingress: [{ action: "Deny", protocol: "SCTP" }], ...more });
    const world = (policy: WorldObject) => [...everywhere, ...ofCalico, policy];
    const { loop, source } = await database.settled(new MemorySource(world(ofHosts({}))), calico);
    for (const more of [{ doNotTrack: true }, {}, { doNotTrack: false, preDNAT: true }, {}]) {
      source.set(ofHosts(more));
      await loop.idle();
      expect(allByOrder(rows())).toEqual(allByOrder(freshTables(world(ofHosts(more)), calico)));
      const { ACL, Address_Set, Port_Group } = rows();
      const own = [...ACL, ...Address_Set, ...Port_Group].filter(
        ({ external_ids }) => external_ids[keys.name] === "h",
      );
      expect(own.length > 0).toBe(Object.keys(more).length === 0);
    }
  });
});
