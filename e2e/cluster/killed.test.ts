// The process that keeps a cluster with kubelets is killed while containers run: it can clean up nothing, and nothing may be left.

import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { eventually } from "../../test/support/eventually.ts";
import { patience } from "../../test/support/patience.ts";
import { HeldCluster } from "../conformance/held-cluster.ts";
import { cgroupsOf, sweepCgroups } from "./cgroups.ts";
import { describeWithKubelets } from "./describe.ts";

describeWithKubelets("a cluster with kubelets whose process is killed", () => {
  test(
    "leaves no process, mount, folder and interface, and the next start removes its cgroups",
    async () => {
      const held = await HeldCluster.start(fileURLToPath(new URL("hold.ts", import.meta.url)));
      try {
        const commands = held.started.map(({ command }) => command).join("\n");
        for (const program of ["kube-apiserver", "containerd-shim", "kubelet", "/agnhost netexec"])
          expect(commands).toContain(program);
        expect(held.namespaces.size).toBeGreaterThanOrEqual(4); // the node, the router, the chassis, the pod
        expect(cgroupsOf(held.pid)).not.toEqual([]);
        sweepCgroups(); // another cluster starts: those of one that runs stay
        expect((await held.left()).processes.length).toBeGreaterThanOrEqual(held.started.length);
        expect(cgroupsOf(held.pid)).not.toEqual([]);
      } finally {
        held.kill();
      }
      await eventually(async () => {
        expect(await held.left()).toEqual({ processes: [], folders: [], mounts: [], interfaces: [] });
        sweepCgroups();
        expect(cgroupsOf(held.pid)).toEqual([]);
      }, 20_000);
    },
    patience(240_000),
  );
});
