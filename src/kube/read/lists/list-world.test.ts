// One list of every kind, over the fake API server: pages, kinds that are not served or not allowed, a list that has to begin
// again, and objects that are refused.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { FakeApi } from "../../../../test/support/fake-api.ts";
import { openFakeApi } from "../../../../test/support/fake-api.ts";
import type { Asked, Fault } from "../../../../test/support/fake-api-server.ts";
import {
  adminNetworkPolicies,
  nodes,
  pods,
  policy,
  policyKinds,
} from "../../../../test/support/kube-world.ts";
import { formatSourceProblem } from "../../../informers/index.ts";
import type { ObjectKind } from "../../../model/object.ts";
import { isPod, keyOf } from "../../../model/object.ts";
import { listWorld } from "./list-world.ts";

const services: ObjectKind = {
  ...{ group: "", version: "v1", kind: "Service", resource: "services", namespaced: true },
};
const pod = (name: string) => ({
  metadata: { name, namespace: "web", labels: { app: "web" } },
  spec: { nodeName: "n" },
  status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }] },
});

let server: FakeApi["server"];
let api: FakeApi["api"];
let close: FakeApi["close"];

beforeEach(async () => {
  ({ server, api, close } = await openFakeApi());
});
afterEach(() => close());

const listed = () => listWorld(api, { policies: policyKinds, references: [], optional: [services] });
/** Once, for the collection's first list or a later page of it. */
function faultOnce(collection: string, isPage: boolean, fault: Fault): void {
  let isDue = true;
  server.fault = (asked: Asked) => {
    if (!isDue || asked.collection !== collection || asked.query.has("continue") !== isPage) return null;
    isDue = false;
    return fault;
  };
}

test("every page of every kind, each object once, and no watch", async () => {
  for (let n = 0; n < 1203; n++) server.put(pods, pod(`p-${n}`));
  server.put(nodes, { metadata: { name: "n" }, spec: { podCIDRs: ["10.0.0.0/24"] } });
  server.put(adminNetworkPolicies, policy("a", 5));
  const { objects, problems } = await listed();
  expect(problems).toEqual([]);
  expect(objects.filter(isPod)).toHaveLength(1203);
  expect(new Set(objects.map(keyOf)).size).toBe(1205);
  expect(server.asked.filter(({ watch }) => watch)).toEqual([]);
});

test("a kind that the server does not serve has no objects", async () => {
  server.put(pods, pod("p"));
  server.unknown.add(adminNetworkPolicies);
  expect((await listed()).objects.map(({ kind }) => kind)).toEqual(["Pod"]);
});

test("a list whose version is compacted begins again", async () => {
  for (let n = 0; n < 700; n++) server.put(pods, pod(`p-${n}`));
  faultOnce(pods, true, { status: 410 });
  const { objects } = await listed();
  expect(objects).toHaveLength(700);
  expect(new Set(objects.map(keyOf)).size).toBe(700);
});

test("a kind that is forbidden is an error with its path, unless there is an answer without it", async () => {
  server.put(pods, pod("p"));
  server.fault = ({ collection }) => (collection === "/api/v1/services" ? { status: 403 } : null);
  const { objects, problems } = await listed();
  expect(objects).toHaveLength(1);
  expect(problems.map(formatSourceProblem)).toEqual([
    "/api/v1/services: warning: the API server forbids it (403: no)",
  ]);
  const spared = policyKinds.slice(0, 1);
  server.fault = ({ collection }) => (collection === adminNetworkPolicies ? { status: 403 } : null);
  const without = await listWorld(api, { policies: policyKinds, references: [], optional: [], spared });
  expect(without.unread.map(({ resource }) => resource)).toEqual(["adminnetworkpolicies"]);
  expect(without.problems.map(({ problem }) => problem.severity)).toEqual(["warning"]);
  server.fault = ({ collection }) => (collection === nodes ? { status: 403 } : null);
  await expect(listed()).rejects.toThrow("/api/v1/nodes: the API server forbids it (403: no)");
});

test("an object that is refused is named, and the others are there", async () => {
  server.put(pods, pod("good"));
  server.put(pods, { ...pod("bad"), status: { podIPs: [{ ip: "x" }] } });
  const { objects, problems } = await listed();
  expect(objects.map(({ name }) => name)).toEqual(["good"]);
  expect(problems.map(formatSourceProblem)).toEqual([
    '/api/v1/namespaces/web/pods/bad: error: Pod web/bad: status.podIPs[0].ip: "x" is not an IP address',
  ]);
});
