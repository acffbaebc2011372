// Objects as a source gives them, written back as the manifests that a source reads: reading gives the same objects.

import type { PodFact } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isApiObject, isNamespace, isNode, isPod } from "../../src/model/object.ts";
import type { Manifest } from "../support/manifests.ts";

const table = (map: ReadonlyMap<string, string>) => Object.fromEntries(map);
/** One network of each family: which one does not matter. */
const networks = { v4: "10.0.0.0/16", v6: "fd00::/64" } as const;

export function manifestsOf(objects: readonly WorldObject[]): readonly Manifest[] {
  return objects.map(manifestOf);
}

function manifestOf(object: WorldObject): Manifest {
  if (isPod(object)) return podOf(object);
  if (isNamespace(object)) {
    const { name, labels } = object;
    return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: table(labels) } };
  }
  if (isNode(object)) {
    const { name, labels, ips, podFamilies } = object;
    return {
      ...{ apiVersion: "v1", kind: "Node", metadata: { name, labels: table(labels) } },
      spec: { podCIDRs: podFamilies.map((family) => networks[family]) },
      status: { addresses: ips.map((address) => ({ type: "InternalIP", address })) },
    };
  }
  if (!isApiObject(object)) throw new Error("an object of no known kind");
  const { apiVersion, kind, name, namespace, annotations, spec } = object;
  const labels = "labels" in object ? { labels: table(object.labels) } : {};
  const metadata = { name, ...(namespace === null ? {} : { namespace }), annotations: table(annotations) };
  return { apiVersion, kind, metadata: { ...metadata, ...labels }, spec };
}

function podOf(pod: PodFact): Manifest {
  const { namespace, name, labels, node, serviceAccount, hostNetwork, completed, ips, ports } = pod;
  const declared = ports.map((port) => ({
    ...{ name: port.name, protocol: port.protocol.toUpperCase(), containerPort: port.port },
  }));
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { namespace, name, labels: table(labels) } },
    spec: {
      ...{ ...(node === null ? {} : { nodeName: node }), serviceAccountName: serviceAccount, hostNetwork },
      containers: [{ name: "main", ports: declared }],
    },
    status: { phase: completed ? "Succeeded" : "Running", podIPs: ips.map((ip) => ({ ip })) },
  };
}
