// Objects of crd.antrea.io in few words, and a `resolve` over those that policies refer to. Specs are plain JSON.

import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";
import { groupOf, objectKey } from "../../src/model/object.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import { resolveAmong, resolveBy } from "../../src/policy/contracts/resolve.ts";

const apiVersion = "crd.antrea.io/v1beta1";
const nothing = { uid: null, generation: null, annotations: new Map<string, string>() };

export function acnp(name: string, spec: unknown): PolicyObject {
  return { kind: "ClusterNetworkPolicy", apiVersion, namespace: null, name, spec, ...nothing };
}

export function annp(name: string, spec: unknown, namespace = "shop"): PolicyObject {
  return { kind: "NetworkPolicy", apiVersion, namespace, name, spec, ...nothing };
}

export function tier(name: string, spec: unknown): ReferencedObject {
  return { kind: "Tier", apiVersion, namespace: null, name, spec, labels: new Map(), ...nothing };
}

export function clusterGroup(name: string, spec: unknown): ReferencedObject {
  return { kind: "ClusterGroup", apiVersion, namespace: null, name, spec, labels: new Map(), ...nothing };
}

export function group(name: string, spec: unknown, namespace = "shop"): ReferencedObject {
  return { kind: "Group", apiVersion, namespace, name, spec, labels: new Map(), ...nothing };
}

export function service(name: string, spec: unknown, namespace = "shop"): ReferencedObject {
  return { kind: "Service", apiVersion: "v1", namespace, name, spec, labels: new Map(), ...nothing };
}

/** Also tells what was asked for. */
export function resolving(...objects: readonly ReferencedObject[]): {
  readonly resolve: Resolve;
  readonly asked: string[];
} {
  const known = new Map(
    objects.map((one) => [
      objectKey({ group: groupOf(one.apiVersion), kind: one.kind }, one.namespace, one.name),
      one,
    ]),
  );
  const asked: string[] = [];
  const among = resolveAmong(known);
  const resolve = resolveBy(
    (kind, namespace, name) => {
      asked.push(objectKey(kind, namespace, name));
      return among(kind, namespace, name);
    },
    among.labelled,
    among.namespace,
  );
  return { resolve, asked };
}
