// A condition that another client overwrites is written again, at once and then ever more rarely, and only when what was
// seen is newer than our own write.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { anp } from "../../../test/support/policies.ts";
import { HandClock, LineLogger, ScriptedApi } from "../../../test/support/scripted-api.ts";
import { keyOf, shownAmong } from "../../model/object.ts";
import type { Condition } from "../read/conditions.ts";
import { noStatus, readConditions } from "../read/conditions.ts";
import { StatusWriter } from "./status-writer.ts";

const resource = {
  group: "policy.networking.k8s.io",
  version: "v1alpha1",
  kind: "AdminNetworkPolicy",
  resource: "adminnetworkpolicies",
  namespaced: false,
};
const policy = { ...anp("a", {}), uid: "uid-a", generation: 1 };
const key = keyOf(policy);
const outcome = {
  type: "Ready-In-Zone-z",
  status: "True",
  reason: "SetupSucceeded",
  message: "in force",
} as const;
const foreign: Condition = {
  ...outcome,
  status: "False",
  message: "says another",
  observedGeneration: 1,
  lastTransitionTime: null,
};
const told = "a condition was overwritten by another client and is written again";

let server: ScriptedApi;
let clock: HandClock;
let logger: LineLogger;
let view: readonly Condition[];
let writer: StatusWriter;

beforeEach(async () => {
  server = new ScriptedApi();
  await server.start();
  clock = new HandClock();
  logger = new LineLogger();
  view = [];
  writer = new StatusWriter({
    api: server.api,
    statusOf: () => ({ ...noStatus, conditions: view }),
    zone: "z",
    shown: shownAmong([resource]),
    clock,
    random: () => 1,
    logger,
  });
  writer.report(policy, resource, outcome);
  await writer.idle();
});
afterEach(async () => {
  await writer.stop();
  await server.stop();
  expect(clock.tasks).toBe(0);
});

const watched = (conditions: readonly Condition[]) => {
  view = conditions;
  writer.seen(key);
};
const ours = () => readConditions(server.sent.at(-1)?.body);
/** Time passes, and what fell due is sent. */
const elapse = async (ms: number) => {
  clock.elapse(ms);
  await writer.idle();
};

test.each([
  ["changed", [foreign]],
  ["removed", []],
])("what was %s is written again at once, and told", async (_, conditions) => {
  watched(ours());
  watched(conditions);
  await elapse(0);
  expect(server.sent).toHaveLength(2);
  expect(ours()).toMatchObject([outcome]);
  expect(logger.lines).toEqual([{ text: told, fields: { policy: "AdminNetworkPolicy/a" } }]);
  watched(ours());
  await elapse(100_000);
  expect(server.sent).toHaveLength(2);
});

test("an older view is not taken for another client's work", async () => {
  watched([foreign]);
  await elapse(20_000);
  expect(server.sent).toHaveLength(1);
  watched(ours());
  await elapse(100_000);
  expect(server.sent).toHaveLength(1);
});

test("a view that stays older for longer than a watch lags is believed", async () => {
  watched([foreign]);
  await elapse(30_000);
  expect(server.sent).toHaveLength(2);
});

test("two managers that disagree fight ever more rarely, and anew when there was peace for long", async () => {
  watched(ours());
  let now = 0;
  const times: number[] = [];
  const fight = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      const before = server.sent.length;
      watched([foreign]);
      await elapse(0);
      if (server.sent.length > before) {
        times.push(now);
        watched(ours());
      }
      await elapse(1000);
      if (server.sent.length > before && times.at(-1) !== now) {
        times.push(now + 1);
        watched(ours());
      }
      now++;
    }
  };
  await fight(400);
  expect(times).toEqual([0, 10, 30, 70, 150, 310]);
  // The sixth left a pause of 320 s. Twice four times that is peace.
  watched(ours());
  await elapse(3_000_000);
  now += 3000;
  times.length = 0;
  await fight(25);
  expect(times).toEqual([3400, 3410]);
});

test("nothing is written again for a policy that is gone", async () => {
  watched(ours());
  watched([foreign]);
  writer.forget(key);
  await elapse(100_000);
  watched([foreign]);
  await elapse(100_000);
  expect(server.sent).toHaveLength(1);
});
