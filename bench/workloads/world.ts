// A cluster as the benchmark makes it up: facts and policies from numbers alone. No randomness and no clock, so that the
// bench, the controller's process and a reader with pen and paper arrive at the same world.

import type { NamespaceFact, NodeFact, PodFact } from "../../src/model/facts.ts";
import type { ObjectKey, PolicyObject, ReferencedObject, WorldObject } from "../../src/model/object.ts";
import { keyOf } from "../../src/model/object.ts";
import { namespace, node, pod } from "../../test/support/facts.ts";
import { calicoTiers } from "./calico.ts";
import type { Workload } from "./catalogue.ts";
import { policiesOf } from "./policies.ts";

export const appCount = 5;
export const poolCount = 10;

export interface World {
  readonly nodes: readonly NodeFact[];
  readonly namespaces: readonly NamespaceFact[];
  readonly pods: readonly PodFact[];
  /** What the policies refer to. */
  readonly references: readonly ReferencedObject[];
  readonly policies: readonly PolicyObject[];
}

/** The object as it is now; null: it is gone. */
export interface Change {
  readonly key: ObjectKey;
  readonly object: WorldObject | null;
}

export function made(object: WorldObject): Change {
  return { key: keyOf(object), object };
}

export function gone(object: WorldObject): Change {
  return { key: keyOf(object), object: null };
}

export const tenantLabel = (i: number, tenants: number): string => `t${i % tenants}`;
export const appLabel = (i: number): string => `a${i % appCount}`;
export const namespaceName = (i: number): string => `ns-${i}`;
export const nodeName = (i: number): string => `node-${i}`;

export const ports: PodFact["ports"] = [
  { name: "http", protocol: "tcp", port: 8080 },
  { name: "dns", protocol: "udp", port: 5353 },
];

export function namespaceOf(i: number, { tenants }: Workload): NamespaceFact {
  return namespace(namespaceName(i), { tenant: tenantLabel(i, tenants) });
}

export function nodeOf(n: number): NodeFact {
  return node(nodeName(n), { pool: `p${n % poolCount}` }, [`172.20.${n >> 8}.${n & 255}`], ["v4"]);
}

/** Pod g of the whole cluster. */
function podOf(g: number, { nodes, podsPerNamespace }: Workload, namespaceIndex: number): PodFact {
  const n = g % nodes;
  return pod(namespaceName(namespaceIndex), `pod-${g}`, {
    labels: { app: appLabel(g % podsPerNamespace) },
    node: nodeName(n),
    ips: [`10.${128 + (n >> 8)}.${n & 255}.${Math.floor(g / nodes) + 2}`],
    ports,
  });
}

export function worldOf(workload: Workload): World {
  const { podCount, podsPerNamespace, namespaces } = workload;
  return {
    nodes: Array.from({ length: workload.nodes }, (_, n) => nodeOf(n)),
    namespaces: Array.from({ length: namespaces }, (_, i) => namespaceOf(i, workload)),
    // The last namespace may be smaller than the others.
    pods: Array.from({ length: podCount }, (_, g) => podOf(g, workload, Math.floor(g / podsPerNamespace))),
    references: calicoTiers(workload),
    policies: policiesOf(workload),
  };
}

export function objectsOf(world: World): readonly WorldObject[] {
  return [...world.nodes, ...world.namespaces, ...world.pods, ...world.references, ...world.policies];
}
