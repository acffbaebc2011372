// The documented text of a selector of NetworkPolicies' peers, and the names that follow from it.

import { expect, test } from "@jest/globals";
import { podGroup, withLabels } from "../../../../test/support/facts.ts";
import { namespacesNamed } from "../../../model/selectable.ts";
import type { Selector } from "../../../model/selector.ts";
import { everything, requirements } from "../../../model/selector.ts";
import { podSelectorSets, selectorKey } from "./pod-selectors.ts";

const demo = withLabels({ app: "demo" });
const expressions = requirements([
  { operator: "NotIn", key: "b", values: ["y", "x"] },
  { operator: "Exists", key: "a" },
  { operator: "In", key: "c", values: ["z"] },
]);

test.each<[string, Selector, Selector]>([
  ["shop_LS{}", namespacesNamed(["shop"]), everything],
  ["shop_LS{ML:{app: demo,},}", namespacesNamed(["shop"]), demo],
  ["LS{}_LS{}_LNM", everything, everything],
  ["LS{ML:{app: demo,},}_LS{}_LNM", demo, everything],
  ["LS{}_LS{ML:{app: demo,tier: x,},}", everything, withLabels({ tier: "x", app: "demo" })],
  [
    "LS{ML:{c: z,},ME:{LSR{Key:a,Operator:Exists,Values:[],},LSR{Key:b,Operator:NotIn,Values:[x y],},},}_LS{ML:{app: demo,},}",
    expressions,
    demo,
  ],
])("%s", (text, namespaces, pods) => {
  expect(selectorKey(podGroup(namespaces, pods))).toBe(text);
});

test("two texts have two keys", () => {
  const containing = (text: string) =>
    selectorKey(podGroup(everything, requirements([{ operator: "Contains", key: "a", text }])));
  expect(containing("x")).not.toBe(containing("y"));
});

test("the name of a set is the documented one", () => {
  const group = podGroup(withLabels({ "kubernetes.io/metadata.name": "default" }), demo);
  expect(podSelectorSets(group).setName("v4")).toBe("a3733136965153973077");
});
