// What every pod is expected to reach, and from where every pod is expected to be reached: DNS, the API server, the node's
// probes, monitoring. Where the user names no place, the one that a cluster usually has.

import { isOnPodNetwork } from "../model/facts.ts";
import type { NodeFact, PodFact, Protocol } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { IpAddress } from "../model/ip.ts";
import type { End } from "../policy/evaluate.ts";

/** An address with a port. */
export interface Service {
  readonly ip: IpAddress;
  readonly port: number;
}

/** A namespace whose pods declare the ports, or one address. */
export type ServiceLocation = { readonly namespace: string } | Service;

export interface Needs {
  /** Of DNS; none: pods of any namespace that declare ports `dns` and `dns-tcp`. */
  readonly dns: readonly ServiceLocation[];
  /** none: port 6443 of the nodes of the control plane. */
  readonly apiServer: readonly Service[];
  /** The namespace that monitoring scrapes from; null: not looked at. */
  readonly monitoring: string | null;
}

export const usualNeeds: Needs = { dns: [], apiServer: [], monitoring: null };

/** The destination of a connection. */
export interface Destination {
  readonly end: End;
  readonly protocol: Protocol;
  readonly port: number;
}

const dnsNames = ["dns", "dns-tcp"];
/** As exporters name them. */
const scrapePort = /^(scrape|metrics|.*-metrics)$/;
const controlPlane = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
const apiPort = 6443;

/** Pods that policies apply to, in the order of their names. */
export function podsIn({ pods }: Pick<FactStore, "pods">): readonly PodFact[] {
  const reachable = [...pods].filter(([, pod]) => isOnPodNetwork(pod) && pod.ips.length > 0);
  return reachable.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
}

export function dnsServers(needs: Needs, facts: FactStore, protocol: Protocol): readonly Destination[] {
  const pods = podsIn(facts);
  const services = needs.dns.flatMap((place) => ("namespace" in place ? [] : [place]));
  return [
    ...pods.flatMap((pod) => atPorts(pod, protocol, dnsPorts(needs, pod, protocol))),
    ...services.map((service) => atAddress(service, protocol, pods)),
  ];
}

/** The ports on which a pod serves DNS. */
export function dnsPorts({ dns }: Needs, pod: PodFact, protocol: Protocol): readonly number[] {
  const isThere = dns.some((place) => "namespace" in place && place.namespace === pod.namespace);
  if (dns.length > 0 && !isThere) return [];
  return portsOf(pod, protocol, (name) => dnsNames.includes(name));
}

export function apiServers({ apiServer }: Needs, facts: FactStore): readonly Destination[] {
  const pods = podsIn(facts);
  const nodes = [...facts.nodes].filter(({ labels }) => controlPlane.some((key) => labels.has(key)));
  const usual = nodes.flatMap(({ ips }) => ips.map((ip) => ({ ip, port: apiPort })));
  const services = apiServer.length === 0 ? usual : apiServer;
  return services.map((service) => atAddress(service, "tcp", pods));
}

/** TCP ports that monitoring asks. */
export function scrapePorts(pod: PodFact): readonly number[] {
  return portsOf(pod, "tcp", (name) => scrapePort.test(name));
}

/** The declared TCP ports, to which probes may go. */
export function probePorts(pod: PodFact): readonly number[] {
  return portsOf(pod, "tcp", () => true);
}

/** The source addresses of a node's own packets to its pods. */
export function sourcesOf({ ips, managementIps = [] }: NodeFact): readonly End[] {
  return (managementIps.length > 0 ? managementIps : ips).map((ip) => ({ ip, pod: null }));
}

export function endsOf(pod: PodFact): readonly End[] {
  return pod.ips.map((ip) => ({ ip, pod }));
}

function portsOf(pod: PodFact, protocol: Protocol, isMeant: (name: string) => boolean): readonly number[] {
  return pod.ports.filter((port) => port.protocol === protocol && isMeant(port.name)).map(({ port }) => port);
}

/** At each address of the pod. */
export function atPorts(pod: PodFact, protocol: Protocol, ports: readonly number[]): readonly Destination[] {
  return endsOf(pod).flatMap((end) => ports.map((port) => ({ end, protocol, port })));
}

/** An address that a pod holds is that pod. */
function atAddress({ ip, port }: Service, protocol: Protocol, pods: readonly PodFact[]): Destination {
  const pod = pods.find(({ ips }) => ips.includes(ip)) ?? null;
  return { end: { ip, pod }, protocol, port };
}
