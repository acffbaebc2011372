// The network that the CNI stand-in gives to pods and nodes, as a pure function of them: a switch for each node, a port
// for each pod, one router between the switches, and one port for every other address. Equal facts give an equal
// topology; names and MACs depend on nothing else. cni.ts writes it to NB.

import { createHash } from "node:crypto";
import { type NodeFact, type PodFact, isOnPodNetwork } from "../../src/model/facts.ts";
import {
  type Cidr,
  type IpAddress,
  type IpFamily,
  everyAddress,
  familyOf,
  parseCidr,
} from "../../src/model/ip.ts";

export const router = "cluster";
/** No node can have this name. */
export const externalSwitch = "external_network";
/** Packets to addresses without a pod leave here. No pod's port can have this name: it has no "_". */
export const externalPort = "external-gw";

/** The MAC of everything behind the external port. */
export const externalMac = "0a:58:64:40:00:02";
const externalGateways: Readonly<Record<IpFamily, string>> = { v4: "100.64.0.2", v6: "fd98::2" };
const externalNetworks = ["100.64.0.1/16", "fd98::1/64"];

export interface Facts {
  readonly pods: Iterable<PodFact>;
  readonly nodes: Iterable<NodeFact>;
}

export interface SwitchPort {
  readonly switch: string;
  /** Empty: a pod's port or the external port. Otherwise the router port that it is connected to. */
  readonly routerPort: string;
  /** As in Logical_Switch_Port.addresses. */
  readonly addresses: string;
}

export interface RouterPort {
  readonly mac: string;
  /** The gateway's addresses with the prefix length of their network, sorted. */
  readonly networks: readonly string[];
}

export interface Route {
  readonly nexthop: string;
  readonly routerPort: string;
}

export interface Topology {
  readonly switches: ReadonlySet<string>;
  readonly routers: ReadonlySet<string>;
  readonly ports: ReadonlyMap<string, SwitchPort>;
  readonly routerPorts: ReadonlyMap<string, RouterPort>;
  /** By prefix. */
  readonly routes: ReadonlyMap<string, Route>;
}

/** The name of a pod's port, as every CNI on OVN Kubernetes forms it. */
export function portOf(pod: Pick<PodFact, "namespace" | "name">): string {
  return `${pod.namespace}_${pod.name}`;
}

export function macOf(pod: Pick<PodFact, "namespace" | "name" | "ips">): string {
  const [first] = pod.ips;
  if (first !== undefined && familyOf(first) === "v4") return mac(first.split(".").map(Number));
  return mac(hash(first ?? portOf(pod)));
}

/** The MAC to which a pod of this node sends packets for other switches. */
export function gatewayMacOf(node: string): string {
  return mac(hash(`gateway of ${node}`));
}

export function topologyOf({ pods, nodes }: Facts): Topology {
  const placed = [...pods].flatMap((pod) =>
    isOnPodNetwork(pod) && pod.node !== null ? [{ pod, node: pod.node }] : [],
  );
  const addresses = addressesByNode(placed);
  // Addresses of all nodes: where nodes share a network, a pod of another node may have an address that seems free
  // here.
  const taken = new Set([...addresses.values()].flatMap((held) => [...held]));
  const routerPorts = new Map<string, RouterPort>();
  for (const [node, held] of addresses) {
    const networks = new Set([...held].map(networkOf));
    if (networks.size === 0) continue;
    const gateways = [...networks].map((network) => gatewayIn(network, taken));
    routerPorts.set(routerPortOf(node), { mac: gatewayMacOf(node), networks: gateways.sort() });
  }
  const out = { mac: gatewayMacOf(externalSwitch), networks: externalNetworks };
  routerPorts.set(routerPortOf(externalSwitch), out);
  return {
    // The source may deliver a pod before its Node.
    switches: new Set([
      externalSwitch,
      ...[...nodes].map((node) => node.name),
      ...placed.map(({ node }) => node),
    ]),
    routers: new Set([router]),
    ports: switchPorts(placed, routerPorts),
    routerPorts,
    routes: routesTo(addresses),
  };
}

interface Placed {
  readonly pod: PodFact;
  readonly node: string;
}

const routerPortPrefix = "rtos-";
const routerPortOf = (switchName: string): string => `${routerPortPrefix}${switchName}`;

function addressesByNode(placed: readonly Placed[]): ReadonlyMap<string, ReadonlySet<IpAddress>> {
  const byNode = new Map<string, Set<IpAddress>>();
  for (const { pod, node } of placed) {
    const held = byNode.get(node) ?? new Set();
    byNode.set(node, held);
    for (const ip of pod.ips) held.add(ip);
  }
  return byNode;
}

function switchPorts(
  placed: readonly Placed[],
  routerPorts: ReadonlyMap<string, RouterPort>,
): ReadonlyMap<string, SwitchPort> {
  const ports = new Map<string, SwitchPort>();
  for (const { pod, node } of placed) {
    ports.set(portOf(pod), { switch: node, routerPort: "", addresses: [macOf(pod), ...pod.ips].join(" ") });
  }
  for (const routerPort of routerPorts.keys()) {
    const name = routerPort.slice(routerPortPrefix.length);
    ports.set(`stor-${name}`, { switch: name, routerPort, addresses: "router" });
  }
  const gateways = `${externalMac} ${externalGateways.v4} ${externalGateways.v6}`;
  ports.set(externalPort, { switch: externalSwitch, routerPort: "", addresses: gateways });
  return ports;
}

/** External by default; where nodes share a network, one route to each pod. */
function routesTo(addresses: ReadonlyMap<string, ReadonlySet<IpAddress>>): ReadonlyMap<string, Route> {
  const homes = new Map<Cidr, Set<string>>();
  for (const [node, held] of addresses) {
    for (const ip of held) homes.set(networkOf(ip), (homes.get(networkOf(ip)) ?? new Set()).add(node));
  }
  const routes = new Map<string, Route>();
  for (const [node, held] of addresses) {
    for (const ip of held) {
      const shared = (homes.get(networkOf(ip))?.size ?? 0) > 1;
      if (shared) routes.set(ip, { nexthop: ip, routerPort: routerPortOf(node) });
    }
  }
  for (const family of ["v4", "v6"] as const) {
    const routerPort = routerPortOf(externalSwitch);
    routes.set(everyAddress(family), { nexthop: externalGateways[family], routerPort });
  }
  return routes;
}

/** The /24 or /64 of an address: facts hold no pod networks, and clusters usually give a node one of these. */
function networkOf(ip: IpAddress): Cidr {
  const network = parseCidr(familyOf(ip) === "v4" ? `${ip}/24` : `${ip}/64`);
  if (network === null) throw new Error(`invariant broken: ${ip} is not canonical`);
  return network;
}

/** The first address of the network that no pod has. */
function gatewayIn(network: Cidr, taken: ReadonlySet<string>): string {
  const [base = "", length = ""] = network.split("/");
  const v6 = base.includes(":");
  const stem = v6 ? base : base.replace(/\d+$/, "");
  for (let host = 1; ; host++) {
    const address = v6 ? `${stem}${host.toString(16)}` : `${stem}${host}`;
    if (!taken.has(address)) return `${address}/${length}`;
  }
}

function hash(text: string): readonly number[] {
  return [...createHash("sha256").update(text).digest().subarray(0, 4)];
}

/** 0a:58 is locally administered and what CNIs on OVN prefix a pod's address with. */
function mac(bytes: readonly number[]): string {
  return ["0a", "58", ...bytes.map((byte) => byte.toString(16).padStart(2, "0"))].join(":");
}
