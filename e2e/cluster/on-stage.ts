// Northgate as a Deployment on nodes with kubelets, while connections go on: in all that the tests do to it, what policies allow is not
// interrupted, and what they deny is not let through. In the end nothing of the cluster is left.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { cgroupsOf } from "./cgroups.ts";
import { describeWithKubelets } from "./describe.ts";
import { isReady, type PodObject } from "./northgate-pods.ts";
import { Stage } from "./stage.ts";

/** Milliseconds for a cluster to start or to stop. */
export const slow = patience(240_000);

/** `tests` declares what is done; the judgement of the connections follows it. */
export function describeOnStage(name: string, tests: (stage: () => Stage) => void): void {
  describeWithKubelets(name, () => {
    let opened: Stage | null = null;
    const stage = (): Stage => {
      if (opened === null) throw new Error("there is a cluster only while tests run");
      return opened;
    };

    beforeAll(async () => {
      opened = await Stage.open();
    }, slow);
    afterAll(async () => {
      await opened?.close();
    }, slow);

    tests(stage);

    test(
      "in all that time no connection that a policy allows was lost, none that it denies was made, and probes went on",
      async () => {
        const { allowed, denied } = await stage().streams.counts();
        expect(allowed.refused).toBe(0);
        expect(allowed.connected).toBeGreaterThan(50);
        expect(denied.connected).toBe(0);
        expect(denied.refused).toBeGreaterThan(5);
        // The kubelet asks a pod that a policy isolates from all but one.
        const server = await stage().cluster.plane.kubectl(["get", "pod", "server", "-o", "json"]);
        expect(isReady((JSON.parse(server) as PodObject).status)).toBe(true);
      },
      slow,
    );

    test(
      "nothing of it is left when it has stopped",
      async () => {
        const { dir, plane, ovn, zones, nodes } = stage().cluster;
        const pids = nodes.map(({ pid }) => pid);
        await stage().close();
        opened = null;
        const folders = [dir, plane.dir, ovn.dir, ...[...zones.values()].map((zone) => zone.ovn.dir)];
        expect(folders.filter((path) => existsSync(path))).toEqual([]);
        expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
        expect(cgroupsOf(process.pid)).toEqual([]);
      },
      slow,
    );
  });
}
