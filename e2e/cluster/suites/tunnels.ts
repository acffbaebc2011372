// Pods of two nodes: each node has a chassis of its own, so what one sends to the other crosses the tunnel between the nodes, and a
// policy holds for it as for any.

import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../../../test/support/eventually.ts";
import { patience } from "../../../test/support/patience.ts";
import type { Cluster } from "../cluster.ts";
import { applyPod, connects } from "../stream.ts";
import { throughTunnel } from "../tunnels.ts";

const slow = patience(240_000);
const waitMs = 60_000;
const [open, denied] = [8080, 8081];
const idle = ["/agnhost", "pause"];
/** On both ports. */
const serve = [
  ...["/bin/bash", "-c"],
  `/agnhost netexec --http-port=${denied} --udp-port=-1 & exec /agnhost netexec --http-port=${open} --udp-port=-1`,
];
const pods = [
  { name: "near", node: "node-1", command: idle },
  { name: "beside", node: "node-1", command: serve },
  { name: "far", node: "node-2", command: serve },
];
const names = pods.map(({ name }) => `pod/${name}`);
const policy = "far-port";

export function testTunnels(cluster: () => Cluster): void {
  const kubectl = (args: readonly string[], input?: object) =>
    cluster().plane.kubectl(args, {
      timeoutMs: patience(120_000),
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });
  const reaches = async (to: string, port: number) => {
    const ip = await kubectl(["get", "pod", to, "-o", "jsonpath={.status.podIP}"]);
    return connects(cluster(), "near", `${ip}:${port}`);
  };
  /** Packets from node-1 to node-2, and back, in which `made` had a part. */
  const crossing = async <T>(made: () => Promise<T>) => {
    const count = async () => ({
      there: await throughTunnel(cluster(), "node-1", "node-2"),
      back: await throughTunnel(cluster(), "node-2", "node-1"),
    });
    const before = await count();
    const result = await made();
    const after = await count();
    return { result, there: after.there - before.there, back: after.back - before.back };
  };

  beforeAll(async () => {
    for (const pod of pods) await applyPod(cluster(), pod);
    await kubectl(["wait", "--for=condition=Ready", ...names, "--timeout=60s"]);
    await eventually(async () => {
      for (const to of ["beside", "far"])
        for (const port of [open, denied])
          expect([to, port, await reaches(to, port)]).toEqual([to, port, true]);
    }, waitMs);
  }, slow);
  afterAll(async () => {
    await kubectl(["delete", "adminnetworkpolicy", policy, "--ignore-not-found"]);
    await kubectl(["delete", ...names, "--ignore-not-found", "--wait=true"]);
  }, slow);

  test(
    "a connection to a pod of another node crosses the tunnel between the nodes, and one within a node crosses none",
    async () => {
      const far = await crossing(() => reaches("far", open));
      expect(far.result).toBe(true);
      // SYN, ACK and FIN of the client; SYN-ACK and FIN of the server.
      expect(far.there).toBeGreaterThanOrEqual(3);
      expect(far.back).toBeGreaterThanOrEqual(2);
      expect(await crossing(() => reaches("beside", open))).toEqual({ result: true, there: 0, back: 0 });
    },
    slow,
  );

  test(
    "an AdminNetworkPolicy denies one port of the pod to pods of another node, and no other port and pod",
    async () => {
      await kubectl(["apply", "-f", "-"], deniedPort());
      await eventually(async () => {
        expect(await reaches("far", denied)).toBe(false);
      }, waitMs);
      const dropped = await crossing(() => reaches("far", denied));
      // The rule is one of ingress: the chassis of the pod that it protects drops the packet.
      expect(dropped.result).toBe(false);
      expect(dropped.there).toBeGreaterThanOrEqual(1);
      expect(dropped.back).toBe(0);
      expect(await reaches("far", open)).toBe(true);
      expect(await reaches("beside", denied)).toBe(true);
      await kubectl(["delete", "adminnetworkpolicy", policy]);
      await eventually(async () => {
        expect(await reaches("far", denied)).toBe(true);
      }, waitMs);
    },
    slow,
  );
}

/** Nobody connects to one port of the pod `far`. */
function deniedPort(): object {
  const far = { namespaceSelector: {}, podSelector: { matchLabels: { app: "far" } } };
  const tcp = { portNumber: { protocol: "TCP", port: denied } };
  return {
    ...{ apiVersion: "policy.networking.k8s.io/v1alpha1", kind: "AdminNetworkPolicy" },
    metadata: { name: policy },
    spec: {
      ...{ priority: 7, subject: { pods: far } },
      ingress: [{ name: "port", action: "Deny", from: [{ namespaces: {} }], ports: [tcp] }],
    },
  };
}
