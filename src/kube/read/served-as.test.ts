// A kind that two API groups may serve, over a scripted API server: one key whatever serves it, the preferred group while it is served,
// and no policy deleted by a change of groups.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { definitionPath } from "../../../test/support/fake-api-server.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { FastWorld, policy } from "../../../test/support/kube-world.ts";
import { trafficPolicyKind } from "../../../test/dialect/kinds.ts";
import { isApiObject, objectKey, readVersionOf } from "../../model/object.ts";
import { listPolicies } from "./lists/list-policies.ts";
import { listWorld } from "./lists/list-world.ts";

const preferred = "/apis/crd.traffic.test/v1/trafficpolicies";
const own = "/apis/traffic.test/v1/trafficpolicies";
/** Between two questions about deletions that are not believed (unconfirmed-deletions.ts). */
const retryMs = 1_000;
const key = (name: string) => objectKey(trafficPolicyKind, null, name);

let world: FastWorld;
beforeEach(async () => {
  world = await FastWorld.open({}, { policies: [trafficPolicyKind] });
});
afterEach(async () => {
  await world.close();
});

const state = () => world.source.resources.find(({ resource }) => resource === "trafficpolicies");
const readAs = (name: string) => {
  const object = world.source.read(key(name));
  return object !== null && isApiObject(object) ? [object.apiVersion, readVersionOf(object)] : null;
};
const watched = (collection: string) =>
  eventually(() => {
    expect(world.server.streams(collection)).toHaveLength(1);
    expect(state()?.stats.watches).toBe(world.server.answered(preferred) + world.server.answered(own));
  });
const leaves = (collection: string) => {
  world.server.unknown.add(collection);
  for (const watching of world.server.streams(collection)) watching.end();
};

test.each([
  ["the preferred group alone", own, "crd.traffic.test/v1", preferred],
  ["its own group alone", preferred, "traffic.test/v1", own],
  ["both", "", "crd.traffic.test/v1", preferred],
])("served by %s: the key is that of its own group", async (_, unknown, version, collection) => {
  world.server.unknown.add(unknown);
  for (const served of [preferred, own]) world.server.put(served, policy("a", 5));
  await world.synced();
  await watched(collection);
  expect([readAs("a"), world.source.pending, state()?.missing]).toEqual([
    ["traffic.test/v1", version],
    [],
    null,
  ]);
  expect(state()?.stats).toMatchObject({ lists: 1, failures: 0 });
  // Commands that list once read the same.
  const listed = await listWorld(world.api, {
    ...{ policies: [trafficPolicyKind], references: [], optional: [] },
  });
  expect(listed.objects).toEqual([world.source.read(key("a"))]);
  const [found] = await listPolicies(world.api, [trafficPolicyKind]);
  expect(found?.object).toEqual(world.source.read(key("a")));
});

test("served by none: it is missing, and is read wherever it comes", async () => {
  for (const served of [preferred, own]) world.server.unknown.add(served);
  world.start();
  await eventually(() => {
    expect(world.server.count(own, false)).toBeGreaterThan(3);
  });
  expect(world.source.pending).toEqual([
    "trafficpolicies: the API server does not know this resource (CRD missing?)",
  ]);
  expect(world.logged("trafficpolicies")).toHaveLength(1);
  world.server.put(own, policy("a", 5));
  world.server.unknown.delete(own);
  await world.synced();
  expect(readAs("a")).toEqual(["traffic.test/v1", "traffic.test/v1"]);
});

test("a group that ends is followed by the other: nothing is deleted, and what only the first had stays until it is seen", async () => {
  for (const name of ["a", "b", "c"]) world.server.put(preferred, policy(name, 5));
  world.server.unknown.add(own);
  await world.synced();
  await watched(preferred);
  for (const name of ["a", "b"]) world.server.put(own, policy(name, 5));
  world.server.unknown.clear();
  // Its CRD is deleted: first its objects, then the kind, then the watch.
  world.server.leaving.add(preferred);
  for (const name of ["a", "b", "c"]) world.server.remove(preferred, policy(name, 5));
  leaves(preferred);
  await watched(own);
  await world.told([key("a"), key("b")]);
  expect([readAs("a"), readAs("c")]).toEqual([
    ["traffic.test/v1", "traffic.test/v1"],
    ["traffic.test/v1", "crd.traffic.test/v1"],
  ]);
  expect([state()?.held, state()?.missing]).toEqual([1, null]);
  expect(world.logged("trafficpolicies")).toContain(
    "info a resource is read under another API group, which serves it now",
  );
  // A deletion in the other group is one.
  world.server.remove(own, policy("a", 5));
  await world.told([key("a")]);
  expect(world.source.read(key("a"))).toBeNull();
  // A further list under the same group does not say that it never was.
  world.server.compact();
  for (const watching of world.server.streams(own)) watching.error(410);
  await eventually(() => {
    expect(state()?.stats.lists).toBe(3);
  });
  expect(world.source.read(key("c"))).not.toBeNull();
  world.server.put(own, policy("c", 5));
  await world.told([key("c")]);
  expect([readAs("c"), state()?.held]).toEqual([["traffic.test/v1", "traffic.test/v1"], 0]);
  // And back, when that group ends.
  world.server.leaving.clear();
  for (const name of ["b", "c"]) world.server.put(preferred, policy(name, 5));
  world.server.unknown.delete(preferred);
  leaves(own);
  await watched(preferred);
  await world.told([key("b"), key("c")]);
  expect(readAs("b")).toEqual(["traffic.test/v1", "crd.traffic.test/v1"]);
});

test("deletions that came with the end of a group are not judged by the other group, which is not listed yet", async () => {
  for (const served of [preferred, own]) world.server.put(served, policy("a", 5));
  await world.synced();
  await watched(preferred);
  world.server.leaving.add(preferred);
  world.server.remove(preferred, policy("a", 5));
  await eventually(() => {
    expect(world.server.count(definitionPath(preferred), false)).toBeGreaterThan(0);
  });
  let isListed = false;
  world.server.fault = ({ collection }) => (collection === own && !isListed ? { status: 503 } : null);
  const waits = world.waits.length;
  leaves(preferred);
  // While the deletions would be asked about several times.
  await eventually(() => {
    expect(world.server.count(own, false)).toBeGreaterThan(3);
    expect(world.waits.slice(waits).filter((ms) => ms === retryMs).length).toBeGreaterThan(3);
  });
  await world.told([]);
  isListed = true;
  await watched(own);
  await world.told([key("a")]);
  expect([readAs("a"), state()?.held]).toEqual([["traffic.test/v1", "traffic.test/v1"], 0]);
});

test("a group that ends is followed by the other, and takes what only it had along, for a user who insists", async () => {
  await world.close();
  world = await FastWorld.open({}, { policies: [trafficPolicyKind], missingIsEmpty: true });
  for (const name of ["a", "b"]) world.server.put(preferred, policy(name, 5));
  world.server.put(own, policy("a", 5));
  await world.synced();
  await watched(preferred);
  leaves(preferred);
  await watched(own);
  await world.told([key("a"), key("b")]);
  expect([readAs("b"), state()?.held]).toEqual([null, 0]);
});

test("the preferred group ends and the other may not be read: the kind is forbidden, and both are asked again and again", async () => {
  world.server.put(preferred, policy("a", 5));
  await world.synced();
  await watched(preferred);
  world.server.fault = ({ collection }) =>
    collection === own ? { status: 403, body: { message: "no" } } : null;
  leaves(preferred);
  await eventually(() => {
    expect(state()?.forbidden).not.toBeNull();
    expect(world.server.count(own, false)).toBeGreaterThan(3);
  });
  expect(state()!.stats.failures).toBeGreaterThanOrEqual(world.server.count(own, false) - 1);
  expect(world.source.read(key("a"))).not.toBeNull();
  world.server.unknown.clear();
  await eventually(() => {
    expect(state()?.forbidden).toBeNull();
  });
  await world.told([]);
});

test("objects that a server shows from another group's CRD stay while that CRD is being deleted, and after", async () => {
  world.server.unknown.add(preferred);
  world.server.put(own, policy("a", 5));
  await world.synced();
  await watched(own);
  // No CRD has the group that is read; the one that holds the objects is there, and being deleted.
  let holds = true;
  world.server.fault = ({ collection }) => {
    if (collection === definitionPath(own)) return { status: 404 };
    if (collection !== definitionPath(preferred)) return null;
    return holds
      ? { status: 200, body: { metadata: { deletionTimestamp: "2026-11-22T08:00:00Z" } } }
      : { status: 404 };
  };
  world.server.remove(own, policy("a", 5));
  await eventually(() => {
    expect(state()?.missing?.kind).toBe("TrafficPolicy");
  });
  holds = false;
  const asked = () => world.server.count(definitionPath(preferred), false);
  const before = asked();
  await eventually(() => {
    for (const watching of world.server.streams(own)) watching.bookmark();
    expect(asked()).toBeGreaterThan(before + 2);
  });
  expect(world.source.read(key("a"))).not.toBeNull();
  world.server.put(own, policy("a", 5));
  await eventually(() => {
    expect(state()?.missing).toBeNull();
  });
  await world.told([]);
});

test("a group that may not be read is not passed over: the other may be another's", async () => {
  world.server.put(own, policy("a", 5));
  let allowed = false;
  world.server.fault = ({ collection }) =>
    collection === preferred && !allowed ? { status: 403, body: { message: "no" } } : null;
  world.start();
  await eventually(() => {
    expect(state()?.forbidden).not.toBeNull();
    expect(world.server.count(preferred, false)).toBeGreaterThan(2);
  });
  expect(world.server.count(own, false)).toBe(0);
  allowed = true;
  world.server.put(preferred, policy("b", 5));
  await eventually(() => {
    expect(readAs("b")).toEqual(["traffic.test/v1", "crd.traffic.test/v1"]);
  });
});

test("a server in trouble that does not know a group it serves costs a list, and no policy", async () => {
  for (const served of [preferred, own]) world.server.put(served, policy("a", 5));
  await world.synced();
  await watched(preferred);
  // It may not read the other: the preferred one is asked again.
  let faults = 1;
  world.server.fault = ({ collection }) => {
    if (collection === own) return { status: 403, body: { message: "no" } };
    return collection === preferred && faults-- > 0 ? { status: 404 } : null;
  };
  for (const watching of world.server.streams(preferred)) watching.end();
  await eventually(() => {
    expect(state()?.stats.lists).toBe(2);
    expect(state()?.forbidden).toBeNull();
  });
  await world.told([]);
  expect(readAs("a")).toEqual(["traffic.test/v1", "crd.traffic.test/v1"]);
});
