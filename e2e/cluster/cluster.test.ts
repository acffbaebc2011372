// Northgate as a Pod, on nodes with kubelets: as a Deployment while faults happen to it, then as docs/install.md has it, a DaemonSet and by
// Helm too. All that time what policies allow is not interrupted, and what they deny is not let through.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { cgroupsOf } from "./cgroups.ts";
import { describeWithKubelets } from "./describe.ts";
import { uninstallCentral } from "./install.ts";
import { isReady, type PodObject } from "./northgate-pods.ts";
import { Stage } from "./stage.ts";
import { testDeployment } from "./suites/deployment.ts";
import { testDocumented } from "./suites/documented.ts";
import { testObserving } from "./suites/observing.ts";
import { testServices } from "./suites/services.ts";
import { testTls } from "./suites/tls.ts";
import { testTunnels } from "./suites/tunnels.ts";

const slow = patience(240_000);

describeWithKubelets("Northgate as a Pod", () => {
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

  describe("as a Deployment", () => {
    testDeployment(stage);
    describe("with a database over TLS", () => {
      testTls(stage);
    });
    describe("between two nodes", () => {
      testTunnels(() => stage().cluster);
    });
    describe("observed from elsewhere", () => {
      testObserving(() => stage().cluster);
    });
    describe("with Services and DNS", () => {
      testServices(() => stage().cluster);
    });
    afterAll(() => uninstallCentral(stage().cluster), slow);
  });

  describe("as docs/install.md has it", () => {
    testDocumented(() => stage().cluster);
  });

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
