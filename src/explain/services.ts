// Services, as far as a connection to their addresses needs them: OVN replaces the address by a backend's before egress rules
// see the packet. A Service that cannot be read has no addresses here. Backends are the pods that its selector selects, each
// with the port of its own that the Service's port leads to.

import type { PodFact, Protocol } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { familyOf, parseIp } from "../model/ip.ts";
import type { ObjectKind, ReferencedObject } from "../model/object.ts";
import { Field, Problems } from "../model/reader.ts";
import { requirements, selects, type Selector } from "../model/selector.ts";

export const serviceKind: ObjectKind = {
  ...{ group: "", version: "v1", kind: "Service", resource: "services", namespaced: true },
};

export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly ips: readonly IpAddress[];
  /** null: somebody else keeps its endpoints, and they are not known. */
  readonly selector: Selector | null;
  readonly ports: readonly ServicePort[];
}

interface ServicePort {
  readonly protocol: Protocol;
  readonly port: number;
  /** A number, or the name of a container port. */
  readonly target: number | string;
}

export function readServices(objects: readonly ReferencedObject[]): readonly Service[] {
  return objects.map(({ namespace, name, spec: raw }) => {
    const spec = new Field(new Problems(), "spec", raw);
    const texts = [spec.at("clusterIP"), ...spec.at("clusterIPs").items(), ...spec.at("externalIPs").items()];
    const ips = texts.flatMap(({ raw: text }) => (typeof text === "string" ? (parseIp(text) ?? []) : []));
    return {
      ...{ namespace: namespace ?? "default", name, ips: [...new Set(ips)], selector: readSelector(spec) },
      ports: spec.at("ports").items().flatMap(readPort),
    };
  });
}

function readSelector(spec: Field): Selector | null {
  const selector = spec.at("selector");
  const keys = selector.isObject ? selector.names() : [];
  if (keys.length === 0) return null;
  return requirements(keys.map((key) => ({ operator: "In", key, values: [String(selector.at(key).raw)] })));
}

const protocols: ReadonlyMap<unknown, Protocol> = new Map([
  [undefined, "tcp"],
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);

function readPort(field: Field): readonly ServicePort[] {
  const protocol = protocols.get(field.at("protocol").raw);
  const { raw: port } = field.at("port");
  const { raw: target = port } = field.at("targetPort");
  if (protocol === undefined || typeof port !== "number") return [];
  return typeof target === "number" || typeof target === "string" ? [{ protocol, port, target }] : [];
}

/** A pod behind a Service, and the port of the pod. */
export interface Endpoint {
  readonly pod: PodFact;
  readonly ip: IpAddress;
  readonly port: number;
}

export function endpointsOf(
  { namespace, selector, ports }: Service,
  { ip, protocol, port }: { readonly ip: IpAddress; readonly protocol: string; readonly port: number },
  pods: Iterable<PodFact>,
): readonly Endpoint[] {
  const asked = ports.find((one) => one.protocol === protocol && one.port === port);
  if (asked === undefined || selector === null) return [];
  const endpoints: Endpoint[] = [];
  for (const pod of pods) {
    if (pod.namespace !== namespace || !isOnPodNetwork(pod) || !selects(selector, pod.labels)) continue;
    const address = pod.ips.find((one) => familyOf(one) === familyOf(ip));
    const number = targetOf(pod, asked);
    if (address !== undefined && number !== null) endpoints.push({ pod, ip: address, port: number });
  }
  return endpoints;
}

function targetOf({ ports }: PodFact, { protocol, target }: ServicePort): number | null {
  if (typeof target === "number") return target;
  return ports.find((one) => one.name === target && one.protocol === protocol)?.port ?? null;
}
