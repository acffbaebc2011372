// The packets that matter for a world: between its pods on one node and across nodes, to nodes, to addresses in and next to
// the networks that rules name; on the ports that rules and pods name and on their neighbours; every protocol, every
// family. Drawn from a world's own number, so that a world always has the same packets.

import type { PodFact } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Packet } from "../../tools/sandbox/trace.ts";
import { ip } from "../support/facts.ts";
import type { ProofWorld } from "./worlds.ts";
import { sorted } from "./worlds.ts";

/** One packet, as each of the judges takes it. */
export interface Probe {
  readonly packet: Packet;
  readonly connection: Connection;
}

/** At the edges of the networks that rules name (rules.ts), and away from them; no pod's network holds one of them. */
const outside = [
  ...["172.18.0.0", "172.18.255.255", "172.19.0.0", "172.18.0.3"],
  ...["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", "198.51.100.7"],
  ...[
    "fd18::3",
    "fd18::ffff",
    "2001:db8::",
    "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db9::",
    "fe00::1",
  ],
].map(ip);

/** Sources outside, beside the nodes. */
const visitors = ["203.0.113.7", "2001:db8::7"].map(ip);

interface Service extends Pick<Connection, "protocol" | "port" | "sourcePort" | "icmp"> {
  /** Of icmp: the family whose types it names; of both unless told. */
  readonly family?: IpFamily;
}

const ports = [1, 52, 53, 54, 79, 80, 81, 82, 8079, 8080, 8081, 8082, 8443, 65535];
const usualServices: readonly Service[] = [
  ...(["tcp", "udp", "sctp"] as const).flatMap((protocol) => ports.map((port) => ({ protocol, port }))),
  // As often as four ports.
  ...new Array<Service>(4).fill({ protocol: "icmp", port: 0 }),
];

/**
 * What only some kinds of policies speak of: source ports, other IP protocols, and the other type of ICMP that opens a
 * connection for the switch (a timestamp).
 */
const unusualServices: readonly Service[] = [
  ...(["tcp", "udp"] as const).flatMap((protocol) =>
    [29_999, 30_000, 30_005, 30_010, 30_011].map((sourcePort) => ({ protocol, port: 80, sourcePort })),
  ),
  ...[47, 50].map((protocol) => ({ protocol, port: 0 })),
  { protocol: "icmp", port: 0, icmp: { type: 13, code: 0 }, family: "v4" },
];

/** As a packet has it of which none is told. */
const usualSourcePort = 40_000;

interface Route {
  readonly from: Packet["from"];
  readonly to: Packet["to"];
  readonly family: IpFamily;
}

/**
 * At most `limit` packets of the world, each once; all that there are when they are fewer. Given a zone, those that come
 * by its node's switch.
 */
export function probesOf(world: ProofWorld, limit: number, zone: string | null = null): readonly Probe[] {
  const services = servicesOf(world);
  const routes = routesOf(world).filter(({ from, to }) => isIn(zone, from) || isIn(zone, to));
  const total = routes.length * services.length;
  const chosen =
    total <= limit ? Array.from({ length: total }, (_, at) => at) : draw(world.salt, total, limit);
  const probes = new Map<string, Probe>();
  for (const number of chosen) {
    const route = routes[Math.floor(number / services.length)];
    const service = services[number % services.length];
    if (route === undefined || service === undefined) continue;
    if ((service.family ?? route.family) !== route.family) continue;
    const probe = probeOf(route, service, zone);
    if (isAnswerToAnother(probe.connection)) continue;
    probes.set(probeText(probe), probe);
  }
  return [...probes.values()];
}

function servicesOf({ unusual = false, tellsSourcePorts = false }: ProofWorld): readonly Service[] {
  const services = unusual ? [...usualServices, ...unusualServices] : usualServices;
  if (!tellsSourcePorts) return services;
  return services.map((one) =>
    one.protocol === "icmp" || typeof one.protocol === "number"
      ? one
      : { sourcePort: usualSourcePort, ...one },
  );
}

function routesOf(world: ProofWorld): readonly Route[] {
  const { pods, nodes } = sorted(world.objects);
  const live = pods.filter((pod) => isOnPodNetwork(pod) && pod.ips.length > 0);
  // Each as often as three others: they are what such a world is about.
  const own = (world.destinations ?? []).flatMap((address) => new Array<IpAddress>(3).fill(address));
  const addresses = [...new Set([...nodes.flatMap((node) => node.ips), ...outside]), ...own];
  return live.flatMap((pod) => [
    // A pod that speaks to itself is not subject to policies, and its packet never comes to its switch.
    ...live.filter((to) => to !== pod).flatMap((to) => inEveryFamily(pod, to)),
    ...addresses
      .filter((address) => hasFamily(pod, familyOf(address)))
      .map((address) => ({ from: pod, to: { ip: address }, family: familyOf(address) })),
    ...[...nodes.flatMap((node) => node.ips), ...visitors]
      .filter((address) => hasFamily(pod, familyOf(address)))
      .map((address) => ({ from: { ip: address }, to: pod, family: familyOf(address) })),
  ]);
}

/**
 * Without ports, connection tracking takes a packet for the answer to one that went the other way: of two ends only one
 * begins.
 */
function isAnswerToAnother({ protocol, from, to }: Connection): boolean {
  return typeof protocol === "number" && from.ip > to.ip;
}

/** Whether the end has a port in the zone's database. */
function isIn(zone: string | null, end: Packet["from"]): boolean {
  return !("ip" in end) && (zone === null || end.node === zone);
}

function inEveryFamily(from: PodFact, to: PodFact): readonly Route[] {
  return (
    (["v4", "v6"] as const)
      .filter((family) => hasFamily(from, family) && hasFamily(to, family))
      // As often as three addresses outside: between pods both directions' rules can speak.
      .flatMap((family) => new Array<Route>(3).fill({ from, to, family }))
  );
}

function hasFamily(pod: PodFact, family: IpFamily): boolean {
  return pod.ips.some((address) => familyOf(address) === family);
}

export function probeOf({ from, to, family }: Route, service: Service, zone: string | null = null): Probe {
  const connection = { from: endOf(from, family), to: endOf(to, family), ...service };
  // What has no port there is an address like any other.
  const seen = (end: Packet["from"], { ip: address }: End) => (isIn(zone, end) ? end : { ip: address });
  return {
    packet: { from: seen(from, connection.from), to: seen(to, connection.to), ...service, family },
    connection,
  };
}

function endOf(end: Packet["from"], family: IpFamily): End {
  return "ip" in end ? { ip: end.ip, pod: null } : { ip: addressOf(end, family), pod: end };
}

function addressOf(pod: PodFact, family: IpFamily): IpAddress {
  const address = pod.ips.find((one) => familyOf(one) === family);
  if (address === undefined) throw new Error(`${pod.name} has no ${family} address`);
  return address;
}

/** For a person, and to tell packets apart. */
export function probeText({ connection: { from, to, protocol, port, sourcePort, icmp } }: Probe): string {
  const name = (end: Connection["from"]) =>
    end.pod === null
      ? end.ip
      : `${end.pod.namespace}/${end.pod.name} (${end.ip} on ${end.pod.node ?? "no node"})`;
  const own = sourcePort === undefined ? "" : ` from port ${sourcePort}`;
  const kind = icmp === undefined ? "" : ` type ${icmp.type} code ${icmp.code}`;
  const number = protocol === "icmp" || typeof protocol === "number" ? "" : ` ${port}`;
  return `${name(from)} -> ${name(to)} ${protocol}${number}${own}${kind}`;
}

/** Distinct numbers below `total`, in the order of a generator of full period (Park and Miller's constants). */
function draw(salt: number, total: number, count: number): readonly number[] {
  const chosen = new Set<number>();
  let state = (salt % 2147483646) + 1;
  while (chosen.size < count) {
    state = (state * 48271) % 2147483647;
    chosen.add(state % total);
  }
  return [...chosen];
}
