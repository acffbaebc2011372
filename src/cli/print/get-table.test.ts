// The table of policies: tiers by the names that users gave them, and kinds of one name told apart.

import { expect, test } from "@jest/globals";
import { acnp, annp, tier } from "../../../test/support/antrea.ts";
import { cnp, np } from "../../../test/support/policies.ts";
import { shownWorld } from "../../../test/support/shown-world.ts";
import { listPolicies, listRules } from "../../explain/overview.ts";
import type { WorldObject } from "../../model/object.ts";
import { formatPolicies, formatRules } from "./get-table.ts";

const spec = (priority: number, tierName: string) => ({
  ...{ priority, tier: tierName, appliedTo: [{ podSelector: {} }], ingress: [{ action: "Drop" }] },
});
const world = (...objects: readonly WorldObject[]) => shownWorld(objects);
const cells = (text: string) =>
  text
    .split("\n")
    .slice(1, -1)
    .map((line) => line.split(/ {2,}/).slice(1, 4));

function policies(...objects: readonly WorldObject[]) {
  const { asked, membership } = world(...objects);
  const listed = listPolicies(asked, membership).map((one) => ({
    ...one,
    rows: { acls: 0, portGroups: 0, addressSets: 0 },
  }));
  return cells(formatPolicies(listed, null));
}

test("each of Antrea's tiers has its name, its own too", () => {
  const mine = tier("mine", { priority: 60 });
  expect(
    policies(
      mine,
      acnp("late", spec(1, "SecurityOps")),
      acnp("own", spec(9, "mine")),
      acnp("last", spec(1, "baseline")),
    ),
  ).toEqual([
    ["mine", "9", "ClusterNetworkPolicy own"],
    ["securityops", "1", "ClusterNetworkPolicy late"],
    ["baseline", "1", "ClusterNetworkPolicy last"],
  ]);
});

test("kinds of one name have their groups where several are listed, and nowhere else", () => {
  const [antrea, kubernetes] = [
    annp("web", spec(5, "platform"), "shop"),
    np("web", { podSelector: {} }, "shop"),
  ];
  expect(policies(kubernetes)).toEqual([["namespaced", "-", "NetworkPolicy shop/web"]]);
  expect(policies(antrea, kubernetes, cnp("p", { ingress: [] }))).toEqual([
    ["platform", "5", "NetworkPolicy.crd.antrea.io shop/web"],
    ["admin", "10", "ClusterNetworkPolicy p"],
    ["namespaced", "-", "NetworkPolicy.networking.k8s.io shop/web"],
  ]);
  const { asked } = world(antrea, np("web", { podSelector: {}, ingress: [{}] }, "shop"));
  expect(cells(formatRules(listRules(asked), null)).map(([, name]) => name)).toEqual([
    "NetworkPolicy.crd.antrea.io shop/web",
    "NetworkPolicy.networking.k8s.io shop/web",
  ]);
});
