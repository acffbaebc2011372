// What of the old world is lent, by kind and by name. Whole plans with it: test/cli/plan-lending.test.ts.

import { expect, test } from "@jest/globals";
import { acnp, clusterGroup, service, tier } from "../../test/support/antrea.ts";
import { namespace, node, pod, workload } from "../../test/support/facts.ts";
import type { WorldObject } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import { BorrowedFacts } from "./borrowed-facts.ts";

const there: readonly WorldObject[] = [
  ...[pod("shop", "web"), namespace("shop"), namespace("bank"), node("n")],
  ...[service("db", {}), tier("first", {}), clusterGroup("g", {}), acnp("p", {})],
];

function lent(...given: readonly WorldObject[]): readonly string[] {
  const lending = new BorrowedFacts(given);
  return there.filter((object) => lending.borrows(object)).map(keyOf);
}

test("every kind that is missing, and no policy", () => {
  expect(lent()).toEqual([
    ...["Pod/shop/web", "Namespace/shop", "Namespace/bank", "Node/n", "Service/shop/db"],
    ...["Tier.crd.antrea.io/first", "ClusterGroup.crd.antrea.io/g"],
  ]);
  expect(lent(...there)).toEqual([]);
});

test("workloads by kind, and a Namespace in which one lives", () => {
  const lending = new BorrowedFacts([pod("x", "y")], [workload("bank", "till")]);
  expect(there.filter((object) => lending.borrows(object)).map(keyOf)).toContain("Namespace/bank");
  expect(lending.borrowsWorkload(workload("shop", "web"))).toBe(false);
  const set = workload("shop", "db", { kind: "StatefulSet" });
  expect(lending.borrowsWorkload(set)).toBe(true);
  expect(lending.notesOn([], [set])).toEqual([
    "the manifests have no StatefulSet: those of the other world are used",
  ]);
});

test("a kind that is there is not lent, but for Namespaces: all where there is no Pod, otherwise those that are lived in", () => {
  const rest = [node("m"), service("x", {}), tier("t", {}), clusterGroup("h", {})];
  expect(lent(namespace("new"), ...rest)).toEqual(["Pod/shop/web", "Namespace/shop", "Namespace/bank"]);
  expect(lent(namespace("new"), pod("shop", "x"), ...rest)).toEqual(["Namespace/shop"]);
  expect(lent(namespace("shop"), pod("shop", "x"), ...rest)).toEqual([]);
});
