// The rows of Calico's policies name their tier, on a real ovsdb-server: when a policy moves to another tier of the same order, each of
// them names the new one. Rows of other kinds name none.

import { expect, test } from "@jest/globals";
import { everyDialect, everyKind, installed } from "../../src/dialects.ts";
import { rowOwners } from "../../src/nbdb/rows/owners.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { actualTables } from "../support/actual-tables.ts";
import { calicoTier, gnp } from "../support/calico.ts";
import { MemorySource, freshTables, openNorthbound } from "../support/controller.ts";
import { Database } from "../support/database.ts";
import { namedPort, namespace, pod } from "../support/facts.ts";
import { describeWithOvn } from "../support/ovn.ts";
import { cnp, np } from "../support/policies.ts";

const model = installed({ ...everyKind, "policy-model": "calico" });
const options = {
  ...{ families: ["v4" as const], zone: null, installed: model.dialects },
  tierLayout: model.tierLayout,
};
const owners = rowOwners(everyDialect.owners);
const policy = (tier: string) =>
  gnp("p", {
    tier,
    ingress: [
      { action: "Deny", protocol: "TCP", destination: { ports: [80] } },
      { action: "Allow", protocol: "TCP", destination: { ports: ["http"] } },
    ],
  });
const world = [
  namespace("shop"),
  pod("shop", "web", { ips: ["10.0.0.1"], ports: [namedPort("http", 8080)] }),
  ...["one", "two"].map((name) => calicoTier(name, { order: 5 })),
  cnp("c", { priority: 10, ingress: [{ action: "Deny", from: [{ namespaces: {} }] }] }),
  np("n", { podSelector: {}, policyTypes: ["Ingress"] }),
];

await describeWithOvn("the tier in rows", () => {
  const database: Database = new Database({
    ports: ["shop_web"],
    open: (remote) => openNorthbound(remote, {}, options),
  });
  const rows = () => actualTables(database.session.cache, owners);
  /** Of each ACL its name, and its tier where it says one. */
  const said = () =>
    rows()
      .ACL.map(({ name, external_ids }) => [name, external_ids["calico-tier"] ?? null].join(" "))
      .sort();
  /** Priorities depend on what was there before. */
  const unplaced = ({ ACL, ...others }: Tables) => ({
    ...others,
    ACL: ACL.map((acl) => ({ ...acl, priority: null })),
  });
  const wanted = (tier: string) => [
    ...["CNP:c:Ingress:0 ", ...["0", "1", "default"].map((at) => `GNP:p:Ingress:${at} ${tier}`)],
    ...["NP:shop:Egress ", "NP:shop:Ingress "],
  ];

  test("follows the policy, in rows of named ports and of the tier's end too", async () => {
    const { loop, source } = await database.settled(new MemorySource([...world, policy("one")]), options);
    expect(said()).toEqual(wanted("one"));
    source.set(policy("two"));
    await loop.idle();
    expect(said()).toEqual(wanted("two"));
    expect(unplaced(rows())).toEqual(unplaced(freshTables([...world, policy("two")], options)));
    // The end of a tier that only the isolation of NetworkPolicies has keeps its place, too.
    const standing = rows();
    await database.restart();
    await database.settled(new MemorySource([...world, policy("two")]), options);
    expect(database.session.stats.operations).toBe(0);
    expect(rows()).toEqual(standing);
  });
});
