// Conditions of zones without a Node are removed with the zone's field manager, by whoever leads, one request at a time; those of
// this zone, of zones with a Node and of the whole cluster stay.

import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { adminNetworkPolicy } from "../../anp/index.ts";
import { recordOf } from "../../../test/support/records.ts";
import { anp } from "../../../test/support/policies.ts";
import { HandClock, LineLogger, ScriptedApi } from "../../../test/support/scripted-api.ts";
import { antrea } from "../../../test/support/dialects.ts";
import { noStatus } from "../read/conditions.ts";
import type { DepartedZonesOptions } from "./departed-zones.ts";
import { DepartedZones, zonedPolicy, zonePrefix } from "./departed-zones.ts";

let server: ScriptedApi;
beforeEach(async () => {
  server = new ScriptedApi();
  await server.start();
});
afterEach(async () => {
  await server.stop();
});

const policies = ["one", "two"].map((name) => recordOf(anp(name, { priority: 1 })));
const condition = (zone: string) => ({
  ...{ type: `Ready-In-Zone-${zone}`, status: "False", reason: "NoNodeOfZone", message: "" },
  ...{ observedGeneration: 1, lastTransitionTime: null },
});

function zones(seen: readonly string[], more: Partial<DepartedZonesOptions> = {}) {
  const logger = new LineLogger();
  const departed = new DepartedZones({
    api: server.api,
    policies: () =>
      policies.map(({ object, kind }) => zonedPolicy(object, kind, kind.conditions?.type ?? null)),
    statusOf: () => ({ ...noStatus, conditions: seen.map(condition) }),
    hasNode: (name) => name === "here",
    zone: "own",
    leads: () => true,
    clock: new HandClock(),
    random: () => 0,
    logger,
    fatal: (error) => {
      throw error;
    },
    ...more,
  });
  return { departed, logger };
}
const asked = () => server.sent.map(({ path, query, body }) => [path, query["fieldManager"], body]);

test("after two looks, one request a policy, and nothing of others", async () => {
  const { departed, logger } = zones(["here", "own", "global", "left"]);
  await departed.look();
  expect(asked()).toEqual([]);
  await departed.look();
  const path = (name: string) =>
    `/apis/policy.networking.k8s.io/v1alpha1/adminnetworkpolicies/${name}/status`;
  const body = (name: string) => ({
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
  });
  expect(asked()).toEqual(["one", "two"].map((name) => [path(name), "left", body(name)]));
  expect(server.mostUnderWay).toBe(1);
  expect(logger.said).toEqual([
    ["info", "the conditions of a zone that has no Node were removed", { zone: "left", policies: 2 }],
  ]);
});

test("a Node that was away at one look only keeps its conditions", async () => {
  let isThere = false;
  const { departed } = zones(["back"], { hasNode: () => isThere });
  await departed.look();
  isThere = true;
  await departed.look();
  isThere = false;
  await departed.look();
  expect(asked()).toEqual([]);
});

test("who does not lead removes nothing", async () => {
  const { departed } = zones(["left"], { leads: () => false });
  for (let look = 0; look < 3; look++) await departed.look();
  expect(asked()).toEqual([]);
});

test("a failure ends the look, and the next one tries again", async () => {
  const { departed, logger } = zones(["left"]);
  server.script = () => ({ status: 503 });
  await departed.look();
  await departed.look();
  expect(asked()).toHaveLength(1);
  expect(logger.said.map(([level, text]) => [level, text])).toEqual([
    ["warn", "conditions of zones that have no Node are kept for now"],
  ]);
  server.script = () => ({ status: 200, body: {} });
  await departed.look();
  expect(asked()).toHaveLength(3);
});

test("the zone is read from types that have one, of every kind", () => {
  const [kind] = adminNetworkPolicy.kinds;
  expect(zonePrefix((zone) => kind?.conditions?.type(zone) ?? "")).toBe("Ready-In-Zone-");
  const [own] = antrea.kinds;
  expect(zonePrefix((zone) => own?.conditions?.type(zone) ?? "")).toBe("Realizable-In-Zone-");
  expect(zonePrefix(() => "Ready")).toBeNull();
});
