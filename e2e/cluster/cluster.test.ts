// Northgate as a Pod, on nodes with kubelets: as a Deployment while faults happen to it, then as docs/install.md has it, a DaemonSet and by
// Helm too. All that time what policies allow is not interrupted, and what they deny is not let through.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { patience } from "../../test/support/patience.ts";
import { cgroupsOf } from "./cgroups.ts";
import { type Cluster, startKubeletCluster } from "./cluster.ts";
import { describeWithKubelets } from "./describe.ts";
import { installCentral, uninstallCentral } from "./install.ts";
import { makeImage } from "./prepare.ts";
import { countOf } from "./stream.ts";
import { testDeployment } from "./suites/deployment.ts";
import { testDocumented } from "./suites/documented.ts";

const slow = patience(240_000);

describeWithKubelets("Northgate as a Pod", () => {
  let started: Cluster | null = null;
  const cluster = (): Cluster => {
    if (started === null) throw new Error("there is a cluster only while tests run");
    return started;
  };
  beforeAll(async () => {
    const images = mkdtempSync(join(tmpdir(), "ng-image-"));
    try {
      started = await startKubeletCluster({ images: [makeImage(images)] });
    } finally {
      rmSync(images, { recursive: true });
    }
  }, slow);
  afterAll(async () => {
    await started?.stop();
  }, slow);

  describe("as a Deployment", () => {
    beforeAll(() => installCentral(cluster()), slow);
    afterAll(() => uninstallCentral(cluster()), slow);
    testDeployment(cluster);
  });

  describe("as docs/install.md has it", () => {
    testDocumented(cluster);
  });

  test(
    "in all that time no connection that a policy allows was lost, and none that it denies was made",
    async () => {
      const [allowed, refused] = await Promise.all([
        countOf(cluster(), "allowed"),
        countOf(cluster(), "denied"),
      ]);
      expect(allowed.refused).toBe(0);
      expect(allowed.connected).toBeGreaterThan(50);
      expect(refused.connected).toBe(0);
      expect(refused.refused).toBeGreaterThan(5);
    },
    slow,
  );

  test(
    "nothing of it is left when it has stopped",
    async () => {
      const { dir, plane, ovn, nodes } = cluster();
      const pids = nodes.map(({ pid }) => pid);
      await cluster().stop();
      started = null;
      expect([dir, plane.dir, ovn.dir].filter((path) => existsSync(path))).toEqual([]);
      expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
      expect(cgroupsOf(process.pid)).toEqual([]);
    },
    slow,
  );
});
