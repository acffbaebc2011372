// Northgate as a Pod, on nodes with kubelets: installed from the manifests and the image of this repository, with two replicas. While
// faults happen to it, what policies allow is not interrupted, and what they deny is not let through.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../test/support/eventually.ts";
import { patience } from "../../test/support/patience.ts";
import { cgroupsOf } from "./cgroups.ts";
import { type Cluster, startKubeletCluster } from "./cluster.ts";
import { describeWithKubelets } from "./describe.ts";
import { installCentral } from "./install.ts";
import { makeImage } from "./prepare.ts";
import { applyPod, applyStream, connects, countOf } from "./stream.ts";

const slow = patience(240_000);
const waitMs = 60_000;
const namespace = "northgate-system";

describeWithKubelets("Northgate as a Pod", () => {
  let started: Cluster | null = null;
  const cluster = (): Cluster => {
    if (started === null) throw new Error("there is a cluster only while tests run");
    return started;
  };
  const kubectl = (...args: readonly string[]) =>
    cluster().plane.kubectl(args, { timeoutMs: patience(120_000) });
  const apply = (object: object) =>
    cluster().plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });

  beforeAll(async () => {
    const images = mkdtempSync(join(tmpdir(), "ng-image-"));
    try {
      started = await startKubeletCluster({ images: [makeImage(images)] });
    } finally {
      rmSync(images, { recursive: true });
    }
    await installCentral(started);
  }, slow);
  afterAll(async () => {
    await started?.stop();
  }, slow);

  /** The names of its pods that are ready. */
  async function replicas(): Promise<readonly string[]> {
    const said = await kubectl("-n", namespace, "get", "pods", "-o", "json");
    const { items } = JSON.parse(said) as { items: readonly PodObject[] };
    return items
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && isReady(status))
      .map(({ metadata }) => metadata.name);
  }

  const rolledOut = () =>
    kubectl("-n", namespace, "rollout", "status", "deployment/northgate", "--timeout=100s");

  /** The last word of a replica on whether it writes. */
  async function isWriter(pod: string): Promise<boolean> {
    const log = await kubectl("-n", namespace, "logs", pod);
    return (
      log.lastIndexOf("this instance writes to the Northbound database") >
      log.lastIndexOf("this one is on standby")
    );
  }

  async function writer(): Promise<string> {
    const pods = await replicas();
    const writers = (await Promise.all(pods.map(async (pod) => ((await isWriter(pod)) ? [pod] : [])))).flat();
    expect(writers).toHaveLength(1);
    return writers[0] ?? "";
  }

  let target = "";

  test(
    "two replicas are ready on two nodes, and one of them writes",
    async () => {
      await rolledOut();
      expect(await replicas()).toHaveLength(2);
      const said = await kubectl("-n", namespace, "get", "pods", "-o", "jsonpath={..spec.nodeName}");
      expect(said.split(" ").sort()).toEqual(["node-1", "node-2"]);
      await writer();
    },
    slow,
  );

  test(
    "a policy stops connections between two nodes, and the kubelet's probes go on under a policy that isolates",
    async () => {
      await applyPod(cluster(), {
        ...{ name: "server", node: "node-2", port: 8080 },
        command: ["/agnhost", "netexec", "--http-port=8080"],
      });
      await kubectl("wait", "--for=condition=Ready", "pod/server", "--timeout=60s");
      target = `${await kubectl("get", "pod", "server", "-o", "jsonpath={.status.podIP}")}:8080`;
      await apply(isolated("server", "allowed"));
      await apply(denied("closed"));
      for (const name of ["allowed", "denied", "later"]) {
        const sleep = "while :; do read -t 60 <> <(:) || :; done";
        await applyPod(cluster(), { name, node: "node-1", command: ["/bin/bash", "-c", sleep] });
      }
      await kubectl(
        "wait",
        "--for=condition=Ready",
        "pod/allowed",
        "pod/denied",
        "pod/later",
        "--timeout=60s",
      );
      await eventually(async () => {
        expect(await connects(cluster(), "allowed", target)).toBe(true);
        expect(await connects(cluster(), "denied", target)).toBe(false);
      }, waitMs);
      await kubectl("delete", "pod", "allowed", "denied", "--wait=true");
      // By the same names and labels, so that the same policies select them.
      await applyStream(cluster(), "allowed", "node-1", { target, expected: "connected" });
      await applyStream(cluster(), "denied", "node-1", { target, expected: "refused" });
      await eventually(async () => {
        expect((await countOf(cluster(), "allowed")).connected).toBeGreaterThan(5);
        expect((await countOf(cluster(), "denied")).refused).toBeGreaterThan(1);
      }, waitMs);
      const said = await kubectl("get", "pod", "server", "-o", "json");
      expect(isReady((JSON.parse(said) as PodObject).status)).toBe(true);
    },
    slow,
  );

  test(
    "the writer's pod is deleted: the other one writes, and enforces what changes then",
    async () => {
      const before = await writer();
      const [other = ""] = (await replicas()).filter((pod) => pod !== before);
      await kubectl("-n", namespace, "delete", "pod", before, "--wait=false");
      await apply(isolated("server", "allowed", "later"));
      await eventually(async () => {
        expect(await isWriter(other)).toBe(true);
        expect(await connects(cluster(), "later", target)).toBe(true);
      }, waitMs);
      await rolledOut();
      expect(await writer()).toBe(other);
    },
    slow,
  );

  test(
    "a rolling restart replaces both, each after the other",
    async () => {
      const before = await replicas();
      await kubectl("-n", namespace, "rollout", "restart", "deployment/northgate");
      await rolledOut();
      const after = await replicas();
      expect(after).toHaveLength(2);
      expect(after.filter((pod) => before.includes(pod))).toEqual([]);
      await eventually(async () => {
        await writer();
      }, waitMs);
    },
    slow,
  );

  test(
    "a drain evicts one replica, and the other one goes on",
    async () => {
      await kubectl(
        "drain",
        "node-1",
        "--ignore-daemonsets",
        "--force",
        "--pod-selector=app.kubernetes.io/name=northgate",
      );
      await eventually(async () => {
        expect(await replicas()).toHaveLength(1);
        await writer();
      }, waitMs);
      await kubectl("uncordon", "node-1");
      await rolledOut();
    },
    slow,
  );

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

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

interface PodObject {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: PodStatus;
}

function isReady({ conditions = [] }: PodStatus): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

/** A NetworkPolicy: the pod takes connections from these alone. */
function isolated(name: string, ...from: readonly string[]): object {
  return {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name } },
    spec: {
      podSelector: { matchLabels: { app: name } },
      ingress: [
        {
          from: [{ podSelector: { matchExpressions: [{ key: "app", operator: "In", values: from }] } }],
        },
      ],
    },
  };
}

/** An AdminNetworkPolicy: nobody takes connections of the pod `denied`. */
function denied(name: string): object {
  const peers = { namespaceSelector: {}, podSelector: { matchLabels: { app: "denied" } } };
  return {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy", metadata: { name } },
    spec: {
      ...{ priority: 5, subject: { namespaces: {} } },
      ingress: [{ name: "closed", action: "Deny", from: [{ pods: peers }] }],
    },
  };
}
