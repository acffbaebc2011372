// The generator of the benchmark's workloads against the numbers that arithmetic gives: rows and addresses of W1 and W2.

import { expect, test } from "@jest/globals";
import { every } from "../../src/dialects.ts";
import { freshTables } from "../support/controller.ts";
import { workloadNames, workloadOf } from "../../bench/workloads/catalogue.ts";
import { objectsOf, worldOf } from "../../bench/workloads/world.ts";

test.each(["W1", "W2", "W1-cnp", "W2-cnp", "W1-np", "W2-np", "S"])(
  "%s ends in the rows that its formulas say",
  (name) => {
    const workload = workloadOf(name)!;
    const tables = freshTables(objectsOf(worldOf(workload)), {
      families: null,
      zone: null,
      installed: every.dialects,
    });
    const addresses = tables.Address_Set.reduce((sum, set) => sum + set.addresses.length, 0);
    const counts = [tables.Port_Group.length, tables.ACL.length, tables.Address_Set.length, addresses];
    expect(counts).toEqual(workload.ends);
  },
);

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
