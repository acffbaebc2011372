// What the page says that packets met: of each rule, of all rules of a policy, and whether anything is counted here at all.

import { expect, test } from "@jest/globals";
import { askPage } from "../../test/support/ask-page.ts";
import { namespace, pod } from "../../test/support/facts.ts";
import { anp, banp, namespacesWith } from "../../test/support/policies.ts";
import { shownWorld } from "../../test/support/shown-world.ts";
import { Hits, keyOfPlace } from "../hits/hits.ts";
import { policyKey } from "../policy/ir.ts";
import type { StateShown } from "./shown.ts";
import type { BoardShown } from "./shown/board.ts";
import type { PolicyPageShown } from "./shown/policy.ts";

const red = [namespacesWith({ tenant: "red" })];
const objects = [
  ...[namespace("red", { tenant: "red" }), pod("red", "web", { ips: ["10.0.0.1"] })],
  anp("early", {
    priority: 2,
    ingress: [
      { action: "Allow", from: red },
      { action: "Deny", from: red },
    ],
  }),
  anp("late", { priority: 3, egress: [{ action: "Deny", to: red }] }),
  banp({}),
];
const policy = {
  group: "policy.networking.k8s.io",
  kind: "AdminNetworkPolicy",
  namespace: null,
  name: "early",
};
const key = keyOfPlace(policy, "ingress", 0);
const rules = new Map([[key, new Map([["allow", { packets: 1_204, bytes: 9, since: 0 }]])]]);
const hits = new Hits([{ node: "n", readAt: 9, leftOut: 0, rules }]);

test("with counts, rules and cards have them in words", () => {
  const world = shownWorld(objects, { hits });
  expect(askPage<StateShown>(world, "/api/state").has.hits).toBe(true);
  const name = encodeURIComponent(policyKey(policy));
  const told = askPage<PolicyPageShown>(world, `/api/policy?policy=${name}`);
  expect(told.rules.ingress.shown.map(({ met }) => met)).toEqual([
    "1,204 packets since 1970-01-01T00:00:00Z on 1 node",
    expect.stringMatching(/^not counted: no packet of the 1 node that was read can meet it/),
  ]);
  const cards = askPage<BoardShown>(world, "/api/board").tiers.flatMap(({ policies }) => policies);
  expect(cards.map(({ met }) => met)).toEqual([
    "hits: 1,204 packets, 1 rule not counted",
    "hits: not counted",
    null,
  ]);
});

test("without counts, nothing is said of them", () => {
  const world = shownWorld(objects);
  expect(askPage<StateShown>(world, "/api/state").has.hits).toBe(false);
  const cards = askPage<BoardShown>(world, "/api/board").tiers.flatMap(({ policies }) => policies);
  expect(cards.map(({ met }) => met)).toEqual([null, null, null]);
});
