// The objects that `make bench FROM=exec` serves: they are read as the facts and policies that the workload means, whatever else is in them.

import { describe, expect, test } from "@jest/globals";
import { apiObjectOf, collectionOf, withoutEffect } from "../../bench/exec/objects.ts";
import { workloadOf } from "../../bench/workloads/catalogue.ts";
import { objectsOf, worldOf } from "../../bench/workloads/world.ts";
import { everyDialect } from "../../src/dialects.ts";
import { parseNamespace } from "../../src/informers/objects/namespace.ts";
import { parseNode } from "../../src/informers/objects/node.ts";
import { parsePod } from "../../src/informers/objects/pod.ts";
import { policyKinds } from "../../src/policy/contracts/dialect.ts";

const workload = workloadOf("W1");
if (workload === null) throw new Error("there is no W1");
const world = worldOf(workload);

/** As it comes over the wire. */
const served = (object: Parameters<typeof apiObjectOf>[0]): unknown =>
  JSON.parse(JSON.stringify(apiObjectOf(object)));

describe("objects served from exec", () => {
  test("are the facts of the workload", () => {
    for (const pod of world.pods.slice(0, 50)) {
      const { object, problems } = parsePod(served(pod));
      expect(problems).toEqual([]);
      expect(object).toMatchObject(pod);
    }
    for (const namespace of world.namespaces) expect(parseNamespace(served(namespace)).problems).toEqual([]);
    for (const node of world.nodes) {
      const { object } = parseNode(served(node));
      expect(object).toMatchObject({ name: node.name, labels: node.labels, ips: node.ips });
    }
  });

  test("have the size of real ones", () => {
    const [pod] = world.pods;
    if (pod === undefined) throw new Error("W1 has no pod");
    const size = JSON.stringify(apiObjectOf(pod)).length;
    expect(size).toBeGreaterThan(6_000);
    expect(size).toBeLessThan(7_500);
  });

  test("an update without effect is another object with the same fact", () => {
    const [pod] = world.pods;
    if (pod === undefined) throw new Error("W1 has no pod");
    const before = apiObjectOf(pod);
    const after = withoutEffect(before, 1);
    expect(after).not.toEqual(before);
    expect(parsePod(after)).toEqual(parsePod(before));
  });

  test("are where the kinds of the dialects are listed", () => {
    const listed = policyKinds(everyDialect.dialects).map(
      ({ group, version, resource }) => `/apis/${group}/${version}/${resource}`,
    );
    for (const name of ["W1", "W1-cnp", "W1-np", "W1-calico", "S", "P-tenth"]) {
      const of = workloadOf(name);
      if (of === null) throw new Error(`there is no ${name}`);
      const collections = new Set(worldOf(of).policies.map(collectionOf));
      for (const collection of collections) expect(listed).toContain(collection);
      expect(collections.size).toBeGreaterThan(0);
    }
    expect(new Set(objectsOf(world).map(collectionOf)).size).toBe(4);
  });
});
