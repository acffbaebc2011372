// The statuses that are sent to the cluster, for kinds whose status counts nodes and for objects that policies refer to.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { acnp, clusterGroup, resolving } from "../../test/support/antrea.ts";
import { LineLogger, ScriptedApi } from "../../test/support/scripted-api.ts";
import { antrea } from "../../test/support/dialects.ts";
import type { PolicyRecord } from "../controller/engine.ts";
import { noStatus } from "../kube/index.ts";
import type { ObjectKey } from "../model/object.ts";
import { keyOf } from "../model/object.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import { eventually } from "../../test/support/eventually.ts";
import { ApiClusterStatus } from "./cluster-status.ts";
import { SubjectNodes } from "./subject-nodes.ts";

const object = {
  ...acnp("p", { priority: 1, appliedTo: [{ podSelector: {} }], ingress: [{ action: "Drop" }] }),
  ...{ uid: "u", generation: 4 },
};
const { policy } = antrea.compile(object, resolving().resolve);
const kind = antrea.kinds[0]!;
const record: PolicyRecord = {
  ...{ key: keyOf(object), kind, object, policy, problems: [] },
  ...{ rejected: false, isStaged: false },
};

let server: ScriptedApi;
let running: ApiClusterStatus[];
beforeEach(async () => {
  server = new ScriptedApi();
  await server.start();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((status) => status.stop()));
  await server.stop();
});

function telling(zone: string | null, nodesOfPods: string[]) {
  const seen: { status: (key: ObjectKey) => void } = { status: () => undefined };
  const membership = {
    pods: () => new Set(nodesOfPods.map((_, n) => `a/${n}` as PodKey)),
    pod: (key: PodKey) => ({ node: nodesOfPods[Number(key.slice(2))] }) as PodFact,
  };
  const status = new ApiClusterStatus({
    cluster: {
      api: server.api,
      statusOf: () => noStatus,
      onStatus: (changed) => (seen.status = changed),
    },
    ...{ shown: String, zone, logger: new LineLogger() },
    nodes: new SubjectNodes({ membership, policy: () => policy }),
    fatal: (error) => {
      throw error;
    },
  });
  running.push(status);
  return status;
}

const sent = async (count: number) => {
  while (server.sent.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return server.sent.map(({ path, body }) => ({ path, ...(body as { status: object }) }));
};

test("phase, generation and nodes stand beside the condition; counts follow the pods, once for each change", async () => {
  const pods = ["n1", "n2"];
  const status = telling(null, pods);
  status.condition(record, "realized", "told");
  const [first] = await sent(1);
  expect(first).toMatchObject({
    path: "/apis/crd.antrea.io/v1beta1/clusternetworkpolicies/p/status",
    status: {
      ...{ phase: "Realized", observedGeneration: 4, currentNodesRealized: 2, desiredNodesRealized: 2 },
      conditions: [{ type: "Realizable", status: "True", reason: "Realizable", message: "told" }],
    },
  });
  expect(first).not.toHaveProperty("status.conditions.0.observedGeneration");
  pods.push("n3");
  status.review();
  status.examined(record);
  status.review();
  const [, second] = await sent(2);
  expect(second?.status).toMatchObject({
    phase: "Realized",
    currentNodesRealized: 3,
    desiredNodesRealized: 3,
  });
  status.examined(record);
  status.review();
  // A write counts when it is answered, unless its object has been removed by then.
  await eventually(() => {
    expect(status.writes()).toContainEqual([["status", "written"], 2]);
  });
  status.gone(record.key);
  status.examined(record);
  status.review();
  expect(status.writes()).toContainEqual([["status", "written"], 2]);
});

test("of several zones each has a condition of its own, and none writes what they would share", async () => {
  const status = telling("n1", ["n1"]);
  status.condition(record, "realized", "told");
  const [only] = await sent(1);
  expect(Object.keys(only?.status ?? {})).toEqual(["conditions"]);
  expect(only).toHaveProperty("status.conditions.0.type", "Realizable-In-Zone-n1");
});

test("a group is told whether its members are computed", async () => {
  const status = telling(null, []);
  const group = { ...clusterGroup("g", {}), uid: "g" };
  const judge = antrea.references.find((one) => one.kind === "ClusterGroup")!;
  const verdict = { isTrue: false, reason: "ChildGroupMissing", message: "why", problems: [] };
  status.judged(keyOf(group), { kind: judge, object: group, verdict });
  const [only] = await sent(1);
  expect(only).toMatchObject({
    path: "/apis/crd.antrea.io/v1beta1/clustergroups/g/status",
    status: {
      conditions: [{ type: "GroupMembersComputed", status: "False", ...{ reason: "ChildGroupMissing" } }],
    },
  });
  expect(only).not.toHaveProperty("status.conditions.0.observedGeneration");
  status.judged(keyOf(group), null);
});
