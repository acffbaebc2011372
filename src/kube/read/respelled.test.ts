// A kind whose objects one of its API groups keeps in another form, over a scripted API server: they are read as the kind's own API
// shows them, whatever they are called where they are kept.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { FastWorld, policy } from "../../../test/support/kube-world.ts";
import { podSetKind, trafficPolicyKind } from "../../../test/dialect/kinds.ts";
import { keptIn } from "../../../test/dialect/stored.ts";
import { formatSourceProblem } from "../../informers/source-problem.ts";
import { askedOnlyIn, isApiObject, isReferenced, objectKey, readNameOf } from "../../model/object.ts";
import { listPolicies } from "./lists/list-policies.ts";
import { listWorld } from "./lists/list-world.ts";

const kept = "/apis/crd.traffic.test/v1/trafficpolicies";
const own = "/apis/traffic.test/v1/trafficpolicies";
const keptSets = "/apis/crd.traffic.test/v1/podsets";
const ownSets = "/apis/traffic.test/v1/podsets";
const key = (name: string) => objectKey(trafficPolicyKind, null, name);
const setKey = (name: string) => objectKey(podSetKind, null, name);
/** A stored policy that is called otherwise in the kind's own API, or whose annotation has this text. */
const stored = (name: string, as: { name: string } | string, priority = 5) =>
  policy(name, priority, { annotations: { [keptIn]: typeof as === "string" ? as : JSON.stringify(as) } });

let world: FastWorld;
const open = async (kind = trafficPolicyKind) => {
  world = await FastWorld.open({}, { policies: [kind], references: [podSetKind] });
};
beforeEach(() => open());
afterEach(async () => {
  await world.close();
});

const watched = (collection: string) =>
  eventually(() => {
    expect(world.server.streams(collection)).toHaveLength(1);
  });
const priorityOf = (name: string) => {
  const object = world.source.read(key(name));
  return object !== null && isApiObject(object) ? (object.spec as { priority: number }).priority : null;
};
const storedNameOf = (name: string) => {
  const object = world.source.read(key(name));
  return object !== null && isApiObject(object) ? readNameOf(object) : null;
};
const leaves = (...collections: readonly string[]) => {
  for (const collection of collections) {
    world.server.unknown.add(collection);
    for (const watching of world.server.streams(collection)) watching.end();
  }
};

test("name and labels are those of the kind's own API, and what is written to it has the name where it is kept", async () => {
  world.server.put(kept, stored("p-a", { name: "a" }));
  const labels = { holds: "data" };
  world.server.put(keptSets, {
    metadata: { name: "s", labels: { own: "yes" }, annotations: { [keptIn]: JSON.stringify({ labels }) } },
    spec: {},
  });
  await world.synced();
  expect([priorityOf("a"), storedNameOf("a"), priorityOf("p-a")]).toEqual([5, "p-a", null]);
  const set = world.source.read(setKey("s"));
  expect(set !== null && isReferenced(set) ? [...set.labels] : null).toEqual([["holds", "data"]]);
  const listed = await listWorld(world.api, {
    ...{ policies: [trafficPolicyKind], references: [podSetKind], optional: [] },
  });
  expect(listed).toEqual({
    objects: expect.arrayContaining([world.source.read(key("a")), set]),
    problems: [],
    unread: [],
  });
  const [found] = await listPolicies(world.api, [trafficPolicyKind]);
  expect(found?.object).toEqual(world.source.read(key("a")));
});

test("another name in the kind's own API is another object", async () => {
  world.server.put(kept, stored("p-a", { name: "a" }));
  await world.synced();
  await watched(kept);
  world.server.put(kept, stored("p-a", { name: "b" }));
  await world.told([key("b"), key("a")]);
  expect([priorityOf("a"), priorityOf("b")]).toEqual([null, 5]);
  world.server.remove(kept, stored("p-a", { name: "b" }));
  await world.told([key("b")]);
  expect(priorityOf("b")).toBeNull();
});

describe("two that are one in the kind's own API", () => {
  const problem = `error: TrafficPolicy a: metadata.name: is defined already at ${kept}/a, and that definition counts`;

  test.each([
    ["in order", ["a", "p-a"]],
    ["the other way round", ["p-a", "a"]],
  ])("%s: the first by name counts, and the other when that is gone", async (_, order) => {
    const objects = new Map([
      ["a", policy("a", 1)],
      ["p-a", stored("p-a", { name: "a" }, 2)],
    ]);
    await world.synced();
    await watched(kept);
    for (const name of order) world.server.put(kept, objects.get(name)!);
    await eventually(() => {
      expect(world.source.problems).toEqual([`${kept}/p-a: ${problem}`]);
    });
    expect(priorityOf("a")).toBe(1);
    // A list says no other.
    world.server.compact();
    for (const watching of world.server.streams(kept)) watching.error(410);
    await eventually(() => {
      expect(world.server.count(kept, false)).toBe(2);
      expect(world.server.streams(kept)).toHaveLength(1);
    });
    expect([priorityOf("a"), world.source.problems]).toEqual([1, [`${kept}/p-a: ${problem}`]]);
    world.server.remove(kept, policy("a", 1));
    await eventually(() => {
      expect([priorityOf("a"), storedNameOf("a"), world.source.problems]).toEqual([2, "p-a", []]);
    });
    world.server.remove(kept, stored("p-a", { name: "a" }));
    await eventually(() => {
      expect(priorityOf("a")).toBeNull();
    });
  });

  test("the one that counts goes while nothing is watched: a list finds the other", async () => {
    world.server.put(kept, policy("a", 1));
    world.server.put(kept, stored("p-a", { name: "a" }, 2));
    await world.synced();
    await watched(kept);
    expect(priorityOf("a")).toBe(1);
    const [watching] = world.server.streams(kept);
    watching?.freeze();
    world.server.remove(kept, policy("a", 1));
    world.server.compact();
    watching?.cut();
    await eventually(() => {
      expect([priorityOf("a"), world.source.problems]).toEqual([2, []]);
    });
  });
});

describe("a mistake in the form", () => {
  const line = (name: string, key: string) =>
    `${kept}/${name}: error: TrafficPolicy ${key}: metadata.annotations["traffic.test/own"]: is not a JSON object`;

  test("leaves in force what the object was, and a deletion deletes it", async () => {
    world.server.put(kept, stored("p-a", { name: "a" }));
    await world.synced();
    await watched(kept);
    world.server.put(kept, stored("p-a", "{", 7));
    await world.told([line("p-a", "p-a")]);
    expect([priorityOf("a"), world.source.mayExist(key("x"))]).toEqual([5, false]);
    world.server.compact();
    for (const watching of world.server.streams(kept)) watching.error(410);
    await eventually(() => {
      expect(world.server.count(kept, false)).toBe(2);
      expect(world.server.streams(kept)).toHaveLength(1);
    });
    expect([priorityOf("a"), world.source.problems]).toEqual([5, [line("p-a", "p-a")]]);
    world.server.remove(kept, stored("p-a", "{"));
    await world.told([key("a")]);
    expect([priorityOf("a"), world.source.problems]).toEqual([null, []]);
  });

  test("of an object that was never read: it may be any of the kind, and no list deletes one", async () => {
    world.server.put(kept, stored("p-a", "{"));
    world.server.put(kept, policy("b", 5));
    await world.synced();
    await watched(kept);
    expect([world.source.mayExist(key("a")), world.source.problems]).toEqual([true, [line("p-a", "p-a")]]);
    const [watching] = world.server.streams(kept);
    watching?.freeze();
    world.server.remove(kept, policy("b", 5));
    world.server.compact();
    watching?.cut();
    await eventually(() => {
      expect(world.server.count(kept, false)).toBe(2);
      expect(world.server.streams(kept)).toHaveLength(1);
    });
    expect(priorityOf("b")).toBe(5);
    world.server.put(kept, stored("p-a", { name: "a" }));
    await eventually(() => {
      expect([priorityOf("a"), world.source.mayExist(key("x")), world.source.problems]).toEqual([
        5,
        false,
        [],
      ]);
    });
  });
});

test("a group that ends is followed by the other under the names of the kind's own API: nothing is removed or held", async () => {
  world.server.unknown.add(own).add(ownSets);
  for (const name of ["a", "b"]) world.server.put(kept, stored(`p-${name}`, { name }));
  await world.synced();
  await watched(kept);
  for (const name of ["a", "b"]) world.server.put(own, policy(name, 5));
  world.server.unknown.clear();
  world.server.leaving.add(kept);
  for (const name of ["a", "b"]) world.server.remove(kept, stored(`p-${name}`, { name }));
  leaves(kept, keptSets);
  await watched(own);
  await world.told([key("a"), key("b")]);
  expect([priorityOf("a"), storedNameOf("a")]).toEqual([5, "a"]);
  const state = world.source.resources.find(({ resource }) => resource === "trafficpolicies");
  expect(state).toMatchObject({ held: 0, missing: null });
  world.server.remove(own, policy("a", 5));
  await world.told([key("a")]);
  // And back, where they have other names.
  world.server.leaving.clear();
  world.server.unknown.delete(kept);
  world.server.put(kept, stored("q-b", { name: "b" }));
  leaves(own);
  await watched(kept);
  await world.told([key("b")]);
  expect([storedNameOf("b"), priorityOf("q-b")]).toEqual(["q-b", null]);
});

test.each([
  ["crd.traffic.test", kept, own],
  ["traffic.test", own, kept],
])("read from %s alone, no other group is asked", async (group, read, other) => {
  await world.close();
  await open(askedOnlyIn(trafficPolicyKind, group));
  world.server.put(other, policy("other", 5));
  world.server.unknown.add(read);
  world.start();
  await eventually(() => {
    expect(world.server.count(read, false)).toBeGreaterThan(2);
  });
  expect(world.source.pending).toEqual([
    "trafficpolicies: the API server does not know this resource (CRD missing?)",
  ]);
  world.server.put(read, policy("a", 5));
  world.server.unknown.delete(read);
  await world.synced();
  expect([priorityOf("a"), priorityOf("other"), world.server.count(other, false)]).toEqual([5, null, 0]);
  const listed = await listWorld(world.api, {
    ...{ policies: [askedOnlyIn(trafficPolicyKind, group)], references: [], optional: [] },
  });
  expect(listed.objects).toEqual([world.source.read(key("a"))]);
  expect(listed.problems.map(formatSourceProblem)).toEqual([]);
});

test("where it is served decides, unless a group is named; a kind of one group has no choice", () => {
  const pods = { group: "", version: "v1", kind: "Pod", resource: "pods", namespaced: true };
  expect([askedOnlyIn(trafficPolicyKind, null), askedOnlyIn(pods, "traffic.test")]).toEqual([
    trafficPolicyKind,
    pods,
  ]);
});
