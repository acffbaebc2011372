// The objects that `make bench FROM=exec` serves: they are read as the facts and policies that the workload means, whatever else is in them.

import { describe, expect, test } from "@jest/globals";
import { apiObjectOf, collectionOf, withoutEffect } from "../../bench/exec/objects.ts";
import { ServedWorld } from "../../bench/exec/served-world.ts";
import { kindFlags } from "../../bench/workloads/rendering.ts";
import { workloadOf } from "../../bench/workloads/catalogue.ts";
import { gone, objectsOf, worldOf } from "../../bench/workloads/world.ts";
import { dialectDefaults, everyDialect, installed } from "../../src/dialects.ts";
import { parseNamespace } from "../../src/informers/objects/namespace.ts";
import { parseNode } from "../../src/informers/objects/node.ts";
import { parsePod } from "../../src/informers/objects/pod.ts";
import { list } from "../../src/kube/read/list.ts";
import { listWorld } from "../../src/kube/read/lists/list-world.ts";
import { watch } from "../../src/kube/read/watch.ts";
import { keyOf } from "../../src/model/object.ts";
import { policyKinds } from "../../src/policy/contracts/dialect.ts";
import { openFakeApi } from "../support/fake-api.ts";

const workload = workloadOf("W1");
if (workload === null) throw new Error("there is no W1");
const world = worldOf(workload);
/** More than a server remembers. */
const updates = 10_500;

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

describe("a served workload", () => {
  test.each(["W1", "W1-cnp", "W1-np", "W1-calico"])("%s is read whole", async (name) => {
    const of = workloadOf(name);
    if (of === null) throw new Error(`there is no ${name}`);
    const { api, close } = await openFakeApi(new ServedWorld(of).server);
    try {
      const { policies, references } = installed({ ...dialectDefaults, ...kindFlags(of.kind) });
      const { objects, problems, unread } = await listWorld(api, { policies, references, optional: [] });
      expect([problems, unread]).toEqual([[], []]);
      expect(new Set(objects.map(keyOf))).toEqual(new Set(objectsOf(worldOf(of)).map(keyOf)));
    } finally {
      await close();
    }
  });

  test("tells each update, also of a history that is forgotten meanwhile", async () => {
    const served = new ServedWorld(workload);
    const { api, close } = await openFakeApi(served.server);
    const following = new AbortController();
    const request = { api, path: "/api/v1/pods", signal: following.signal };
    try {
      const version = await list({ ...request, pageSize: 500, asked() {}, absorb() {} });
      const events = await watch({ ...request, version, timeoutSeconds: 300, idleMs: 30_000 });
      const touched = served.touch(updates);
      const told = new Map<string, number>();
      let last = version;
      for await (const event of events) {
        last = event.version;
        told.set(event.type, (told.get(event.type) ?? 0) + 1);
        if (told.get("present") === updates) break;
      }
      await touched;
      expect([...told.keys()].sort()).toEqual(["bookmark", "present"]);
      const again = await watch({ ...request, version: last, timeoutSeconds: 300, idleMs: 30_000 });
      served.apply([gone(world.pods[0]!)]);
      for await (const event of again) {
        expect(event).toMatchObject({ type: "deleted", object: { metadata: { name: "pod-0" } } });
        break;
      }
    } finally {
      following.abort();
      await close();
    }
  });
});
