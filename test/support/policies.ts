// Policy objects in few words. Specs are plain JSON, as an API server or a manifest gives them.

import type { PolicyObject } from "../../src/model/object.ts";
import type { Resolve } from "../../src/policy/contracts/resolve.ts";
import { resolveAmong } from "../../src/policy/contracts/resolve.ts";

const apiGroup = "policy.networking.k8s.io";

/** For dialects of objects that refer to nothing. */
export const resolvesNothing: Resolve = resolveAmong(new Map());

export interface PolicySpec {
  readonly priority?: number;
  readonly subject?: unknown;
  readonly ingress?: readonly unknown[];
  readonly egress?: readonly unknown[];
}

function policyObject(kind: string, name: string, spec: PolicySpec, logging: string | null): PolicyObject {
  return {
    kind,
    apiVersion: kind === "ClusterNetworkPolicy" ? `${apiGroup}/v1alpha2` : `${apiGroup}/v1alpha1`,
    namespace: null,
    name,
    uid: null,
    generation: null,
    annotations: new Map(logging === null ? [] : [["k8s.ovn.org/acl-logging", logging]]),
    spec,
  };
}

export function anp(name: string, spec: PolicySpec, logging: string | null = null): PolicyObject {
  const whole = { priority: 10, subject: { namespaces: {} }, ...spec };
  return policyObject("AdminNetworkPolicy", name, whole, logging);
}

export function banp(spec: PolicySpec, logging: string | null = null): PolicyObject {
  const whole = { subject: { namespaces: {} }, ...spec };
  return policyObject("BaselineAdminNetworkPolicy", "default", whole, logging);
}

export function cnp(
  name: string,
  spec: PolicySpec & { readonly tier?: "Admin" | "Baseline" },
  logging: string | null = null,
): PolicyObject {
  const whole = { tier: "Admin", priority: 10, subject: { namespaces: {} }, ...spec };
  return policyObject("ClusterNetworkPolicy", name, whole, logging);
}

/** In namespace `shop` unless told. */
export function np(
  name: string,
  spec: unknown,
  namespace = "shop",
  annotations: readonly (readonly [string, string])[] = [],
): PolicyObject {
  return {
    ...{ kind: "NetworkPolicy", apiVersion: "networking.k8s.io/v1", namespace, name, spec },
    ...{ uid: null, generation: null, annotations: new Map(annotations) },
  };
}

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The AdminNetworkPolicy as a ClusterNetworkPolicy of tier Admin that says the same. */
export function asClusterPolicy({ name, spec }: PolicyObject): PolicyObject {
  if (!isJson(spec)) throw new Error(`${name} has no spec`);
  const rules = (direction: string): readonly Json[] => {
    const list = spec[direction];
    return Array.isArray(list) ? list.filter(isJson).map(clusterRule) : [];
  };
  return cnp(name, { ...spec, ingress: rules("ingress"), egress: rules("egress") });
}

function clusterRule({ ports, action, ...rule }: Json): Json {
  const said = { ...rule, action: action === "Allow" ? "Accept" : action };
  return Array.isArray(ports) ? { ...said, protocols: ports.filter(isJson).map(clusterPort) } : said;
}

function clusterPort({ portNumber, portRange, namedPort }: Json): Json {
  if (namedPort !== undefined) return { destinationNamedPort: namedPort };
  const { protocol, port, ...range } = isJson(portNumber) ? portNumber : isJson(portRange) ? portRange : {};
  return {
    [String(protocol).toLowerCase()]: { destinationPort: port === undefined ? { range } : { number: port } },
  };
}

/** A peer or subject: pods of namespaces with these labels. */
export function namespacesWith(matchLabels: Readonly<Record<string, string>>): unknown {
  return { namespaces: { matchLabels } };
}

export function podsWith(
  namespaceLabels: Readonly<Record<string, string>>,
  podLabels: Readonly<Record<string, string>>,
): unknown {
  return {
    pods: { namespaceSelector: { matchLabels: namespaceLabels }, podSelector: { matchLabels: podLabels } },
  };
}
