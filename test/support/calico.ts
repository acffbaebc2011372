// Objects of projectcalico.org in few words. Specs are plain JSON, as an API server or a manifest gives them.

import type { PolicyObject, ReferencedObject } from "../../src/model/object.ts";

const apiVersion = "projectcalico.org/v3";
const nothing = { uid: null, generation: null, annotations: new Map<string, string>() };

type LabelList = Readonly<Record<string, string>>;

export function gnp(name: string, spec: unknown): PolicyObject {
  return { kind: "GlobalNetworkPolicy", apiVersion, namespace: null, name, spec, ...nothing };
}

/** In namespace `shop` unless told. */
export function calnp(name: string, spec: unknown, namespace = "shop"): PolicyObject {
  return { kind: "NetworkPolicy", apiVersion, namespace, name, spec, ...nothing };
}

export function calicoTier(name: string, spec: unknown): ReferencedObject {
  return { kind: "Tier", apiVersion, namespace: null, name, spec, labels: new Map(), ...nothing };
}

export function networkSet(
  name: string,
  labels: LabelList,
  nets: readonly unknown[],
  namespace = "shop",
): ReferencedObject {
  return {
    ...{ kind: "NetworkSet", apiVersion, namespace, name, spec: { nets }, ...nothing },
    labels: new Map(Object.entries(labels)),
  };
}

export function globalSet(name: string, labels: LabelList, nets: readonly unknown[]): ReferencedObject {
  return {
    ...{ kind: "GlobalNetworkSet", apiVersion, namespace: null, name, spec: { nets }, ...nothing },
    labels: new Map(Object.entries(labels)),
  };
}

export function account(name: string, labels: LabelList, namespace = "shop"): ReferencedObject {
  return {
    ...{ kind: "ServiceAccount", apiVersion: "v1", namespace, name, spec: undefined, ...nothing },
    labels: new Map(Object.entries(labels)),
  };
}

/** Of a Service in the namespace: endpoints by their addresses, and entries of `ports` as the API has them. */
export function endpointSlice(
  name: string,
  service: string,
  endpoints: readonly (readonly string[])[],
  ports: readonly object[],
  namespace = "shop",
): ReferencedObject {
  const addressType = endpoints.flat().some((one) => one.includes(":")) ? "IPv6" : "IPv4";
  return {
    ...{ kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1", namespace, name, ...nothing },
    spec: { addressType, endpoints: endpoints.map((addresses) => ({ addresses })), ports },
    labels: new Map([["kubernetes.io/service-name", service]]),
  };
}
