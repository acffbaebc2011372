// When a policy is called ready: not before the database has acknowledged its rows and, with `--wait hv`, not before OVN has
// proven that every chassis programmed them. Without a chassis that is northd's word alone (it lets hv_cfg follow nb_cfg),
// so northd is what is stopped and started here.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { end } from "../tools/sandbox/daemon.ts";
import { adminPolicy } from "../test/kube/objects.ts";
import { eventually } from "../test/support/eventually.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { condition, ready, view } from "./policies.ts";

const policy = (priority: number) => adminPolicy("proven", { priority, subject: { namespaces: {} } });

await describeEndToEnd("proof of the commit", {}, (harness) => {
  test(
    "while the database is away a condition stays that of the generation before",
    async () => {
      const { plane, ovn, objects } = harness();
      const run = harness().start();
      await objects.apply(policy(1));
      const before = await ready(plane, "anp/proven");
      await ovn.killNb();
      // An edit that needs no row is in force as long as the program has not noticed.
      await eventually(async () => {
        expect((await run.metrics()).value("northgate_nb_connected")).toBe(0);
      });
      await objects.apply(policy(2));
      await sleep(1_000);
      expect(await view(plane, "anp/proven")).toMatchObject({ generation: 2, conditions: [before] });
      await ovn.restartNb();
      expect(await ready(plane, "anp/proven")).toEqual({ ...before, observedGeneration: 2 });
      await harness().converged();
    },
    slow,
  );
});

await describeEndToEnd("proof from the chassis", { northd: true }, (harness) => {
  test(
    "a condition is True only when it is proven, False after a while without, and True again with the proof",
    async () => {
      const { plane, ovn, objects } = harness();
      await harness()
        .start({ args: ["--wait=hv", "--wait-timeout=1"] })
        .ready();
      await objects.apply(policy(1));
      await ready(plane, "anp/proven");
      await harness().converged();
      const row = async () =>
        (await ovn.nbctl("--bare", "--columns=nb_cfg,hv_cfg", "list", "NB_Global")).trim();
      const [raised, reached] = (await row()).split("\n");
      expect(Number(raised)).toBeGreaterThan(0);
      expect(reached).toBe(raised);

      await end(ovn.dir, "northd");
      await objects.apply(policy(2));
      await condition(plane, "anp/proven", {
        type: "Ready-In-Zone-global",
        status: "False",
        reason: "SetupFailed",
        message:
          "the rows are in the Northbound database, but not every chassis has programmed them after 1 s",
      });
      // The rows are there all the same.
      await harness().converged();

      const started = performance.now();
      await ovn.start();
      await ready(plane, "anp/proven");
      say(`northd is back: proven and told after ${Math.round(performance.now() - started)} ms`);
      // Another client's number proves no less.
      await ovn.nbctl("--wait=hv", "sync");
      await objects.apply(policy(3));
      await ready(plane, "anp/proven");
    },
    slow,
  );
});
