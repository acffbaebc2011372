// The traffic that a user asks about, as ports of a rule: the same ones at every destination, or at each its own, where a name of a
// container port or a port of a Service leads to other numbers on other pods. Refuses, in one sentence, a name that no destination
// has and a port that the Service does not have.

import { NoSuchEnd } from "../analysis/end-query.ts";
import type { AskedService } from "../analysis/end-sets.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { PodFact } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import { protocolNumbers } from "../model/protocols.ts";
import { quote } from "../model/quote.ts";
import type { ServicePort } from "../model/service.ts";
import { targetOf } from "../model/service.ts";
import type { PortMatch } from "../policy/ir.ts";

export interface AskedTraffic {
  /** null: every protocol. */
  readonly protocol: AskedProtocol | null;
  /** A number, or the name of a container port of each destination; null: every port. */
  readonly port: number | string | null;
}

export interface AskedPorts {
  /** At any destination; null: all traffic. */
  readonly ports: readonly PortMatch[] | null;
  /** null: at every destination the same. */
  readonly own: OwnPorts | null;
}

/** Every port of every destination. */
export const allTraffic: AskedPorts = { ports: null, own: null };

/** A destination that has none is not meant. */
export interface OwnPorts {
  readonly ofPod: (pod: PodFact) => readonly PortMatch[];
  /** Of pods on their nodes' networks; other addresses have none. */
  readonly ofAddress: ReadonlyMap<IpAddress, readonly PortMatch[]>;
  /** A load balancer leads the connection there. */
  readonly isLed: boolean;
}

/** What may be asked about: pods, and templates of workloads. */
export interface Destinations {
  readonly facts: readonly PodFact[];
  /** null: no Service was asked for. */
  readonly service: AskedService | null;
}

/** All that are there. */
export function everywhere({ facts, workloads }: Pick<AskedWorld, "facts" | "workloads">): Destinations {
  return { facts: [...facts.pods.values(), ...workloads.map(({ template }) => template)], service: null };
}

/** Throws NoSuchEnd. */
export function portsAsked(traffic: AskedTraffic, destinations: Destinations): AskedPorts {
  const { protocol, port } = traffic;
  if (destinations.service !== null) return portsOfService(traffic, destinations.service, destinations.facts);
  if (typeof port === "string") return portsNamed(protocol ?? "tcp", port, destinations.facts);
  return protocol === null ? allTraffic : { ports: samePorts(protocol, port), own: null };
}

function samePorts(protocol: AskedProtocol, port: number | null): readonly PortMatch[] {
  if (protocol === "icmp") return [{ kind: "icmp", family: null, type: null, code: null }];
  return port === null
    ? [{ kind: "protocol", number: protocolNumbers[protocol] }]
    : [{ kind: "port", protocol, port }];
}

function portsNamed(protocol: AskedProtocol, name: string, facts: readonly PodFact[]): AskedPorts {
  const ofPod = ({ ports }: PodFact): readonly PortMatch[] =>
    ports
      .filter((one) => one.protocol === protocol && one.name === name)
      .map((one) => ({ kind: "port", protocol: one.protocol, port: one.port }));
  const asked = ownPorts(ofPod, facts, false);
  if (asked.ports?.length !== 0) return asked;
  const declared = facts.flatMap(({ ports }) => ports).filter((one) => one.protocol === protocol);
  const names = listed(declared.map((one) => one.name));
  throw new NoSuchEnd(`no container port of ${protocol} is named ${quote(name)}; the names are ${names}`);
}

function portsOfService(
  { protocol, port }: AskedTraffic,
  { service, ports }: AskedService,
  facts: readonly PodFact[],
): AskedPorts {
  const title = quote(`${service.namespace}/${service.name}`);
  const meant = ports.filter(
    (one) =>
      (protocol === null || one.protocol === protocol) &&
      (port === null || one.port === port || (typeof port === "string" && one.name === port)),
  );
  if (meant.length === 0) {
    const what = [protocol, port].filter((one) => one !== null).join(" ");
    const has = ports.map((one) => `${one.protocol} ${one.port}${one.name === "" ? "" : ` (${one.name})`}`);
    throw new NoSuchEnd(`Service ${title} has no port ${quote(what)}; it has ${listed(has)}`);
  }
  const leadingTo = (pod: PodFact, one: ServicePort): readonly PortMatch[] => {
    const target = targetOf(pod, one);
    return target === null ? [] : [{ kind: "port", protocol: one.protocol, port: target }];
  };
  const ofPod = (pod: PodFact) => meant.flatMap((one) => leadingTo(pod, one));
  const asked = ownPorts(ofPod, facts, service.isBalanced);
  if (asked.ports?.length !== 0) return asked;
  throw new NoSuchEnd(`no pod behind Service ${title} declares the port that it leads to`);
}

function ownPorts(ofPod: OwnPorts["ofPod"], facts: readonly PodFact[], isLed: boolean): AskedPorts {
  const ofAddress = new Map<IpAddress, readonly PortMatch[]>();
  const hosts = facts.filter((pod) => pod.hostNetwork && !pod.completed && !isOnPodNetwork(pod));
  for (const pod of hosts)
    for (const ip of pod.ips) ofAddress.set(ip, [...(ofAddress.get(ip) ?? []), ...ofPod(pod)]);
  const ports = new Map(facts.flatMap(ofPod).map((one) => [JSON.stringify(one), one]));
  return { ports: [...ports.values()], own: { ofPod, ofAddress, isLed } };
}

const shown = 8;

function listed(texts: readonly string[]): string {
  const names = [...new Set(texts)];
  const more = names.length - shown;
  return names.length === 0
    ? "none"
    : `${names.slice(0, shown).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
