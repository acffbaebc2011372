// The generator of the benchmark's workloads against the numbers that arithmetic gives: rows and addresses of W1 and W2.

import { expect, test } from "@jest/globals";
import { freshTables } from "../support/controller.ts";
import type { AddressSetForm } from "../../src/nbdb/rows/render-mode.ts";
import type { Tables } from "../../src/nbdb/rows/records.ts";
import { installedFor } from "../../bench/run/assembled.ts";
import type { Workload } from "../../bench/workloads/catalogue.ts";
import { churnPod, churnPolicies } from "../../bench/workloads/churn.ts";
import { workloadNames, workloadOf } from "../../bench/workloads/catalogue.ts";
import { objectsOf, worldOf } from "../../bench/workloads/world.ts";

const rowsOf = (workload: Workload, addressSets: AddressSetForm) => {
  const { dialects, tierLayout } = installedFor(workload);
  return freshTables(objectsOf(worldOf(workload)), {
    ...{ families: null, zone: null, addressSets, tierLayout },
    installed: dialects,
  });
};
const counts = ({ Port_Group, ACL, Address_Set }: Tables) => {
  const addresses = Address_Set.reduce((sum, set) => sum + set.addresses.length, 0);
  return [Port_Group.length, ACL.length, Address_Set.length, addresses];
};

test.each(["W1", "W1-cnp", "W2-cnp", "W1-np", "W2-np", "S", "W1-calico"])(
  "%s ends in the rows that its formulas say",
  (name) => {
    const workload = workloadOf(name)!;
    expect(counts(rowsOf(workload, "rule"))).toEqual(workload.ends);
  },
);

test("W2 does so in both forms of address sets, and a pod that comes is in 125 of its sets, or in 2", () => {
  const workload = workloadOf("W2")!;
  const [address] = churnPod(0, workload).ips;
  const setsOfPod = (tables: Tables) =>
    tables.Address_Set.filter(({ addresses }) => addresses.includes(address ?? "")).length;
  const objects = [...objectsOf(worldOf(workload)), churnPod(0, workload)];
  const withPod = (addressSets: AddressSetForm) =>
    freshTables(objects, { families: null, zone: null, addressSets });
  const [rule, shared] = [withPod("rule"), withPod("shared")];
  const addresses = (tables: Tables) => counts(tables)[3] ?? 0;
  expect([setsOfPod(rule), setsOfPod(shared)]).toEqual([125, 2]);
  expect([addresses(rule) - 125, addresses(shared) - 2]).toEqual([
    workload.ends?.[3],
    workload.sharedEnds?.[3],
  ]);
  expect([counts(rule), counts(shared)].map((all) => all.slice(0, 3))).toEqual(
    [workload.ends, workload.sharedEnds].map((all) => all?.slice(0, 3)),
  );
});

test("P-np has 10,000 NetworkPolicies alone, and N has 1,000 nodes", () => {
  const [manyNp, nodes] = [workloadOf("P-np")!, workloadOf("N")!];
  const { policies } = worldOf(manyNp);
  expect(policies).toHaveLength(10_000);
  expect(new Set(policies.map(({ kind }) => kind))).toEqual(new Set(["NetworkPolicy"]));
  expect(new Set(policies.map(({ namespace }) => namespace)).size).toBe(manyNp.namespaces);
  expect(churnPolicies(manyNp).map(([kind]) => kind)).toEqual(["NetworkPolicy"]);
  expect(worldOf(nodes).nodes).toHaveLength(1_000);
});

test("no two pods of a world share a name or an address", () => {
  for (const name of workloadNames.filter((each) => !each.includes("-"))) {
    const workload = workloadOf(name)!;
    const { pods } = worldOf(workload);
    expect(pods.length).toBe(workload.podCount);
    expect(new Set(pods.map((pod) => pod.name)).size).toBe(pods.length);
    expect(new Set(pods.flatMap((pod) => pod.ips)).size).toBe(pods.length);
  }
});

test("a name that is none, or says the same otherwise, is refused", () => {
  for (const name of workloadNames) expect(workloadOf(name)?.name).toBe(name);
  for (const name of ["W9", "W1-wide", "W1-cnp-narrow", "W1-cnp-cnp", "W1-cnp-np", "", "toString"])
    expect(workloadOf(name)).toBeNull();
});

test.each(["W2-narrow", "W2-narrow-cnp", "W2-narrow-np"])("a policy of %s sees one tenant", (name) => {
  const workload = workloadOf(name)!;
  for (const policy of worldOf(workload).policies) {
    const tenants = new Set(JSON.stringify(policy.spec).match(/"tenant":"t\d+"/g));
    expect(tenants.size).toBe(1);
  }
});

test("of five rules of W1-calico one has a lone notSelector and one has notNets", () => {
  const { references, policies } = worldOf(workloadOf("W1-calico")!);
  const specs = policies.map(({ spec }) => spec as Record<"ingress" | "egress", readonly object[]>);
  const rules = specs
    .flatMap(({ ingress, egress }) => [...ingress, ...egress])
    .map((one) => JSON.stringify(one));
  const having = (part: string) => rules.filter((rule) => rule.includes(part)).length;
  expect([references.length, policies.length, rules.length]).toEqual([4, 30, 600]);
  expect([having("notSelector"), having("notNets"), having("namespaceSelector")]).toEqual([120, 120, 360]);
});
