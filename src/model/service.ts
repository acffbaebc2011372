// A Service as the program knows it: its addresses, whose pods are behind it, and where its ports lead. Lenient, since an API
// server has checked it: what cannot be read is left out, and `isWhole` says so.

import type { PodFact, Protocol } from "./facts.ts";
import type { IpAddress } from "./ip.ts";
import { parseIp } from "./ip.ts";
import type { ObjectKind, ReferencedObject } from "./object.ts";
import { Field, Problems } from "./reader.ts";
import { requirements, type Selector } from "./selector.ts";

export const serviceKind: ObjectKind = {
  ...{ group: "", version: "v1", kind: "Service", resource: "services", namespaced: true },
};

export interface Service {
  readonly namespace: string;
  readonly name: string;
  /** Its cluster IPs, its external IPs and those that a load balancer has given it. */
  readonly ips: readonly IpAddress[];
  /** Its cluster IPs alone. */
  readonly clusterIps: readonly IpAddress[];
  /** null: another program keeps its endpoints, and they are not known. */
  readonly selector: Selector | null;
  readonly ports: readonly ServicePort[];
  /** Whether it has, or will have, an address of its own: not where it is headless or another name for something (ExternalName). */
  readonly isBalanced: boolean;
  /** Whether all of its selector and ports could be read. */
  readonly isWhole: boolean;
}

export interface ServicePort {
  /** "" where it has none. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** A number, or the name of a container port. */
  readonly target: number | string;
  /** The port of every node that leads to it too; null: there is none. */
  readonly nodePort: number | null;
}

export function readService({ namespace, name, spec: raw, balancerIps = [] }: ReferencedObject): Service {
  const spec = new Field(new Problems(), "spec", raw);
  const clusterIps = readIps([spec.at("clusterIP"), ...spec.at("clusterIPs").items()].map(({ raw }) => raw));
  const others = readIps([
    ...spec
      .at("externalIPs")
      .items()
      .map(({ raw }) => raw),
    ...balancerIps,
  ]);
  const items = spec.at("ports").items();
  const ports = items.flatMap(readPort);
  return {
    ...{
      namespace: namespace ?? "default",
      name,
      ips: [...new Set([...clusterIps, ...others])],
      clusterIps,
      selector: readSelector(spec),
      ports,
    },
    isBalanced: spec.at("clusterIP").raw !== "None" && spec.at("type").raw !== "ExternalName",
    isWhole: ports.length === items.length && isReadable(spec),
  };
}

function readIps(texts: readonly unknown[]): readonly IpAddress[] {
  const ips = texts.flatMap((text) => (typeof text === "string" ? (parseIp(text) ?? []) : []));
  return [...new Set(ips)];
}

/** The port of the pod that a Service's port leads to; null: the pod declares none of that name. */
export function targetOf(
  { ports }: Pick<PodFact, "ports">,
  { protocol, target }: ServicePort,
): number | null {
  if (typeof target === "number") return target;
  return ports.find((one) => one.name === target && one.protocol === protocol)?.port ?? null;
}

function readSelector(spec: Field): Selector | null {
  const selector = spec.at("selector");
  const keys = selector.isObject ? selector.names() : [];
  if (keys.length === 0) return null;
  return requirements(keys.map((key) => ({ operator: "In", key, values: [String(selector.at(key).raw)] })));
}

function isReadable(spec: Field): boolean {
  const [selector, ports] = [spec.at("selector"), spec.at("ports")];
  if (ports.present && !Array.isArray(ports.raw)) return false;
  if (!selector.present) return true;
  return selector.isObject && selector.names().every((key) => typeof selector.at(key).raw === "string");
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
  const { raw: balanced } = field.at("nodePort");
  const nodePort = typeof balanced === "number" && balanced > 0 ? balanced : null;
  const { raw: given } = field.at("name");
  const name = typeof given === "string" ? given : "";
  if (protocol === undefined || typeof port !== "number") return [];
  return typeof target === "number" || typeof target === "string"
    ? [{ name, protocol, port, target, nodePort }]
    : [];
}
