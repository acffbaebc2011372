// `northgate run --wait hv`: a policy is called ready only when OVN has proven that every chassis programmed its rows. With
// no chassis that is northd's word alone (it lets hv_cfg follow nb_cfg), so northd is what is stopped and started here.

import { expect, test } from "@jest/globals";
import { end } from "../src/sandbox/daemon.ts";
import { adminPolicy } from "../test/kube/objects.ts";
import { describeEndToEnd, slow } from "./describe.ts";
import { say } from "./harness.ts";
import { condition, ready } from "./policies.ts";

const policy = (priority: number) => adminPolicy("proven", { priority, subject: { namespaces: {} } });

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
      const row = async () => (await ovn.nbctl("--bare", "--columns=nb_cfg,hv_cfg", "list", "NB_Global")).trim();
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
