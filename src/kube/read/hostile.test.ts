// What an API server may send instead of the truth: garbage, deep JSON, answers without an end. The process lives, the
// server's word is told or asked for again, and nothing is deleted because of what cannot be read.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ApiObject, Asked } from "../../../test/support/fake-api-server.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  adminNetworkPolicies as anps,
  FastWorld,
  pods,
  policy,
  policyKinds,
} from "../../../test/support/kube-world.ts";
import { factKinds, objectKey } from "../../model/object.ts";

let world: FastWorld;
beforeEach(async () => {
  world = await FastWorld.open();
  world.server.put(pods, pod("here"));
  world.server.put(anps, policy("a", 5));
  await world.synced();
});
afterEach(async () => {
  await world.close();
});

const pod = (name: string): ApiObject => ({ metadata: { name, namespace: "web" }, spec: { nodeName: "n" } });
const podKey = (name: string) => objectKey(factKinds.Pod, "web", name);
const policyKey = objectKey(policyKinds[0]!, null, "a");
const deep = (levels: number) => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
const stream = async (collection: string) => {
  await eventually(() => {
    expect(world.server.streams(collection)).toHaveLength(1);
  });
  return world.server.streams(collection)[0]!;
};
/** The source knows what comes after, and still what was there before. */
const goesOn = async () => {
  expect(world.source.read(podKey("here"))).not.toBeNull();
  world.server.put(pods, pod("later"));
  await eventually(() => {
    expect(world.source.read(podKey("later"))).not.toBeNull();
  }, 40_000);
  expect(world.source.read(podKey("here"))).not.toBeNull();
  expect(world.source.read(policyKey)).toMatchObject({ spec: { priority: 5 } });
};

const lines = [
  "null",
  "5",
  "[]",
  '"text"',
  "{}",
  "{",
  "\u0000\u001b[31m",
  '{"type":"ADDED"}',
  '{"type":"ADDED","object":null}',
  '{"type":"ADDED","object":[1]}',
  '{"type":"DELETED","object":{}}',
  '{"type":"DELETED","object":{"metadata":null}}',
  '{"type":"DELETED","object":{"metadata":{"resourceVersion":"300"}}}',
  '{"type":"DELETED","object":{"metadata":{"resourceVersion":"300","name":7,"namespace":"web"}}}',
  '{"type":"DELETED","object":{"metadata":{"resourceVersion":"300","name":"here"}}}',
  '{"type":"MODIFIED","object":{"metadata":{"resourceVersion":300,"name":"here","namespace":"web"}}}',
  '{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"300","name":"here","namespace":"web","labels":[{}]}}}',
  '{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"300","name":"here","namespace":"web"},"status":7,"spec":"x"}}',
  '{"type":"DESTROYED","object":{"metadata":{"resourceVersion":"300","name":"here","namespace":"web"}}}',
  '{"type":7,"object":{"metadata":{"resourceVersion":"300"}}}',
  '{"type":"BOOKMARK","object":{}}',
  '{"type":"ERROR"}',
  '{"type":"ERROR","object":{"code":"x","message":{},"details":7}}',
  `{"type":"MODIFIED","object":${deep(100_000)}}`,
  deep(100_000),
  "[".repeat(1_000_000),
];
test.each(lines.map((line) => [line.slice(0, 90), line]))("a line of a watch: %j", async (_, line) => {
  const watch = await stream(pods);
  watch.write(`${line}\n`);
  await goesOn();
});

test.each([101, 9000, 100_000])(
  "a spec of %d levels is refused and leaves the policy as it was",
  async (levels) => {
    const watch = await stream(anps);
    const metadata = '{"name":"a","uid":"uid-a","resourceVersion":"300"}';
    watch.write(`{"type":"MODIFIED","object":{"metadata":${metadata},"spec":${deep(levels)}}}\n`);
    await goesOn();
    const isTold = world.log.some((line) => line.includes("spec: is nested deeper than 100 levels"));
    // Deeper than any server's JSON: the line is no event, and the watch is taken up again.
    expect(isTold).toBe(levels < 10_000);
  },
);

const list = (items: string) => ({
  body: JSON.parse(`{"metadata":{"resourceVersion":"300"},"items":${items}}`) as unknown,
});
test.each([
  [200, { body: null }],
  [200, { body: [] }],
  [200, { body: "text" }],
  [200, { body: { items: [] } }],
  [200, { body: { metadata: { resourceVersion: "300" }, items: {} } }],
  [200, { body: { metadata: { resourceVersion: "300", continue: "again" }, items: [] } }],
  [200, list("[null]")],
  [200, list('[7,"x",[],{}]')],
  [200, list('[{"metadata":{"namespace":"web"}}]')],
  [200, list('[{"metadata":{"name":["here"],"namespace":"web"}}]')],
  [200, list('[{"metadata":{"name":"here","namespace":"web","labels":7}}]')],
  [500, { body: { message: { a: 1 }, details: [] } }],
])("a list that is answered %d %j deletes nothing", async (status, { body }) => {
  const before = world.log.length;
  let asked = 0;
  const isList = (request: Asked) => request.collection === pods && !request.watch;
  world.server.fault = (request) => (isList(request) && ++asked <= 3 ? { status, body } : null);
  const watch = await stream(pods);
  watch.error(410);
  await eventually(() => {
    const state = world.source.resources.find(({ resource }) => resource === "pods");
    expect([asked > 0, state?.failure, state?.stats.lists]).toEqual([true, null, 2]);
  });
  expect(world.source.read(podKey("here"))).not.toBeNull();
  expect(world.log.slice(before)).not.toContain(podKey("here"));
});

test("a list that never ends is logged at warn and requested again with fewer objects; what was there stays", async () => {
  const limits: number[] = [];
  world.server.fault = ({ collection, watch, query }) => {
    if (collection !== pods || watch) return null;
    const limit = Number(query.get("limit"));
    limits.push(limit);
    return limit > 40 ? "endless" : null;
  };
  (await stream(pods)).error(410);
  await goesOn();
  // A busy machine may let an answer time out before it is too long; then the same page is asked for again.
  expect([...new Set(limits)]).toEqual([500, 250, 125, 62, 31]);
  expect(world.logged("pods")).toContain("warn a resource cannot be watched and will be retried");
});

test("a line of a watch that never ends is told at warn, and the resource is listed again", async () => {
  const relists = () =>
    world.source.resources.find(({ resource }) => resource === "pods")?.stats.relists.oversized ?? 0;
  world.server.fault = ({ collection, watch }) =>
    collection === pods && watch && relists() === 0 ? "endless" : null;
  (await stream(pods)).end();
  await goesOn();
  expect(relists()).toBe(1);
  expect(world.logged("pods")).toContain("warn a resource cannot be watched and will be retried");
});
