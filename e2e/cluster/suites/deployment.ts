// Northgate as a Deployment, installed from the manifests and the image of this repository, with two replicas: while faults happen to it, it
// goes on to enforce. Afterwards two pods of the cluster are streams of connections: `allowed`, and `denied`.

import { expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import type { Cluster } from "../cluster.ts";
import { isReady, NorthgatePods, type PodObject } from "../northgate-pods.ts";
import { applyPod, applyStream, connects, countOf } from "../stream.ts";

const slow = patience(240_000);
const waitMs = 60_000;
const deployment = "deployment/northgate";

export function testDeployment(cluster: () => Cluster): void {
  const pods = () => new NorthgatePods(cluster());
  const kubectl = (...args: readonly string[]) =>
    cluster().plane.kubectl(args, { timeoutMs: patience(120_000) });
  const apply = (object: object) =>
    cluster().plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });

  let target = "";

  test(
    "two replicas are ready on two nodes, and one of them writes",
    async () => {
      await pods().rolledOut(deployment);
      expect(await pods().nodes()).toEqual(["node-1", "node-2"]);
      await pods().writer();
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
      const before = await pods().writer();
      const [other = ""] = (await pods().replicas()).filter((pod) => pod !== before);
      await pods().kubectl("delete", "pod", before, "--wait=false");
      await apply(isolated("server", "allowed", "later"));
      await eventually(async () => {
        expect(await pods().isWriter(other)).toBe(true);
        expect(await connects(cluster(), "later", target)).toBe(true);
      }, waitMs);
      await pods().rolledOut(deployment);
      expect(await pods().writer()).toBe(other);
    },
    slow,
  );

  test(
    "a rolling restart replaces both, each after the other",
    async () => {
      const before = await pods().replicas();
      await pods().kubectl("rollout", "restart", "deployment/northgate");
      await pods().rolledOut(deployment);
      const after = await pods().replicas();
      expect(after).toHaveLength(2);
      expect(after.filter((pod) => before.includes(pod))).toEqual([]);
      await eventually(async () => {
        await pods().writer();
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
        expect(await pods().replicas()).toHaveLength(1);
        await pods().writer();
      }, waitMs);
      await kubectl("uncordon", "node-1");
      await pods().rolledOut(deployment);
    },
    slow,
  );
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
