// The bench's objects as the peer's program reads them: with the fields that its controller looks at and no others, as the
// bench's own controller has facts. A peer programs the ports of its own node alone; in central mode every pod is on that node.

import type { NodeFact, PodFact } from "../../src/model/facts.ts";
import { isApiObject, splitKey, type WorldObject } from "../../src/model/object.ts";
import { apiObjectOf } from "../exec/objects.ts";
import type { Change } from "../workloads/world.ts";
import type { PeerChange } from "./protocol.ts";

export function peerChangeOf({ key, object }: Change, node: string): PeerChange {
  return { kind: splitKey(key).kind, key, object: object === null ? null : peerObjectOf(object, node) };
}

function peerObjectOf(object: WorldObject, node: string): object {
  if (isApiObject(object)) return apiObjectOf(object);
  switch (object.kind) {
    case "Pod":
      return podOf(object, node);
    case "Namespace":
      return {
        ...{ apiVersion: "v1", kind: "Namespace" },
        metadata: { name: object.name, labels: Object.fromEntries(object.labels) },
      };
    case "Node":
      return nodeOf(object);
    case "HostName":
      throw new Error("no workload has answers of DNS");
  }
}

function podOf({ namespace, name, labels, ips, ports }: PodFact, nodeName: string): object {
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name, labels: Object.fromEntries(labels) } },
    spec: {
      nodeName,
      containers: [
        {
          name: "app",
          ports: ports.map(({ name: port, protocol, port: containerPort }) => ({
            ...{ name: port, containerPort, protocol: protocol.toUpperCase() },
          })),
        },
      ],
    },
    status: { phase: "Running", podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
  };
}

/** Its addresses are in the annotation that OVN-Kubernetes' node writes. */
function nodeOf({ name, labels, ips }: NodeFact): object {
  const annotations = { "k8s.ovn.org/host-cidrs": JSON.stringify(ips.map((ip) => `${ip}/24`)) };
  return {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: { name, labels: Object.fromEntries(labels), annotations },
  };
}
