// The network that the stand-in for the CNI gives to pods and nodes, as a pure function of them: a switch a node, a port a
// pod, one router between the switches, and one port behind which every other address lies. Equal facts, equal
// topology; names and MACs depend on nothing else. Says nothing about how it gets into NB (cni.ts).

import { createHash } from "node:crypto";
import { type NodeFact, type PodFact, isOnPodNetwork } from "../model/facts.ts";
import { type Cidr, type IpAddress, type IpFamily, everyAddress, familyOf, parseCidr } from "../model/ip.ts";

export const router = "cluster";
/** Not a name a node can have. */
const externalSwitch = "external_network";
/** Packets to addresses that no pod has leave here. No pod's port can have this name: it has no "_". */
export const externalPort = "external-gw";

const externalMac = "0a:58:64:40:00:02";
const externalGateways: Readonly<Record<IpFamily, string>> = { v4: "100.64.0.2", v6: "fd98::2" };
const externalNetworks = ["100.64.0.1/16", "fd98::1/64"];

export interface Facts {
  readonly pods: Iterable<PodFact>;
  readonly nodes: Iterable<NodeFact>;
}

export interface SwitchPort {
  readonly switch: string;
  /** Empty: a pod's or the external port. Otherwise the router port it is joined to. */
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

/** Where a pod of this node sends what is not for its own switch. */
export function gatewayMacOf(node: string): string {
  return mac(hash(`gateway of ${node}`));
}

export function topologyOf({ pods, nodes }: Facts): Topology {
  const switches = new Set<string>([externalSwitch]);
  const ports = new Map<string, SwitchPort>();
  const routerPorts = new Map<string, RouterPort>();
  const routes = new Map<string, Route>();
  const addresses = new Map<string, Set<IpAddress>>();

  for (const node of nodes) switches.add(node.name);
  for (const pod of pods) {
    if (!isOnPodNetwork(pod) || pod.node === null) continue;
    switches.add(pod.node); // its Node may come later
    ports.set(portOf(pod), {
      switch: pod.node,
      routerPort: "",
      addresses: [macOf(pod), ...pod.ips].join(" "),
    });
    const held = addresses.get(pod.node) ?? new Set();
    addresses.set(pod.node, held);
    for (const ip of pod.ips) held.add(ip);
  }

  const join = (name: string, port: RouterPort) => {
    const routerPort = `rtos-${name}`;
    routerPorts.set(routerPort, port);
    ports.set(`stor-${name}`, { switch: name, routerPort, addresses: "router" });
    return routerPort;
  };
  const homes = new Map<Cidr, Set<string>>();
  for (const [node, held] of addresses) {
    const networks = Map.groupBy(held, networkOf);
    for (const network of networks.keys()) homes.set(network, (homes.get(network) ?? new Set()).add(node));
    if (networks.size === 0) continue;
    const gateways = [...networks].map(([network, ips]) => gatewayIn(network, new Set(ips)));
    join(node, { mac: gatewayMacOf(node), networks: gateways.sort() });
  }
  // Nodes that share a network: the router needs to be told each pod's place.
  for (const [node, held] of addresses) {
    for (const ip of held) {
      if ((homes.get(networkOf(ip))?.size ?? 0) > 1)
        routes.set(ip, { nexthop: ip, routerPort: `rtos-${node}` });
    }
  }

  const out = join(externalSwitch, { mac: gatewayMacOf(externalSwitch), networks: externalNetworks });
  const gateways = `${externalMac} ${externalGateways.v4} ${externalGateways.v6}`;
  ports.set(externalPort, { switch: externalSwitch, routerPort: "", addresses: gateways });
  for (const family of ["v4", "v6"] as const) {
    routes.set(everyAddress(family), { nexthop: externalGateways[family], routerPort: out });
  }
  return { switches, routers: new Set([router]), ports, routerPorts, routes };
}

/** The /24 or /64 an address lies in: facts hold no pod networks, and these are what clusters give a node. */
function networkOf(ip: IpAddress): Cidr {
  const network = parseCidr(familyOf(ip) === "v4" ? `${ip}/24` : `${ip}/64`);
  if (network === null) throw new Error(`invariant broken: ${ip} is not canonical`);
  return network;
}

/** The first address of the network that no pod of the node has. */
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
