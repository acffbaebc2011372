// The condition of a policy whose rows stand and whose pods nobody guards: on a real API server, a real database and in
// real time, with the minute that a pod may take to start.

import { afterEach, expect, test } from "@jest/globals";
import { create } from "../test/kube/bulk.ts";
import { adminPolicy, node, pod } from "../test/kube/objects.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { condition, ready } from "./policies.ts";
import { move } from "./steps.ts";

await describeEndToEnd("rows without effect", {}, (harness) => {
  const plane = () => harness().plane;

  afterEach(async () => {
    await harness().end();
    await harness().objects.wipe();
  }, slow);

  test(
    "a zone that no Node has is told until a Node has it",
    async () => {
      const zone = "n9";
      const run = harness().start({ zone });
      await move(harness(), null, new Set());
      const type = `Ready-In-Zone-${zone}`;
      const message = 'NoNodeOfZone: --zone is "n9", and no Node has that name';
      for (const policy of ["anp/first", "banp/default"])
        await condition(plane(), policy, { type, status: "False", reason: "NoNodeOfZone", message });
      expect(run.told("a policy is in force")).toBe(0);
      // What comes after the first rows waits, and its condition says so.
      await harness().objects.apply(adminPolicy("late", { priority: 40, subject: { namespaces: {} } }));
      await condition(plane(), "anp/late", { type, status: "False", reason: "NoNodeOfZone", message });
      expect(await run.readiness()).toMatch(/^--zone is "n9", and no Node has that name: nothing is written/);
      await create(plane().api, node(zone, { ips: ["192.0.2.9"] }));
      for (const policy of ["anp/first", "anp/late", "banp/default"]) await ready(plane(), policy, zone);
    },
    slow,
  );

  test(
    "a pod without a port is told after a minute, and at once no more when it has one",
    async () => {
      const run = harness().start();
      await move(harness(), null, new Set());
      await ready(plane(), "anp/first");
      const late = pod("a", "late", { node: "n1", labels: { app: "web" }, ips: ["10.0.0.9"] });
      const made = performance.now();
      await create(plane().api, late);
      const wanted = {
        status: "False",
        reason: "PodsNotConnected",
        message: "PodsNotConnected: 1 of its subject pods have no logical switch port: a/late",
      } as const;
      await condition(plane(), "anp/first", wanted, 90_000);
      expect(performance.now() - made).toBeGreaterThan(59_000);
      expect(await run.readiness()).toMatch(/^ok\nnot enforced on all of its subject \(PodsNotConnected\): /);
      const count = async () =>
        (await run.metrics()).value("northgate_policies_not_in_force", { reason: "PodsNotConnected" });
      expect(await count()).toBeGreaterThan(0);
      await harness().objects.addPorts([late]);
      await ready(plane(), "anp/first");
      await harness().converged();
      expect([await run.readiness(), await count()]).toEqual(["ok", 0]);
    },
    2 * slow,
  );
});
