// Connections of pods whose Namespace was not read: between pods that represent all pods like them, to and from
// nodes, named networks and an address outside them all; over the ports that policies name, their neighbours and the other
// protocols. The same each time; the n-th is made when it is asked for.

import type { PodFact, Protocol } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import { familyOf, parseIp } from "../model/ip.ts";
import type { Connection, End } from "../policy/evaluate.ts";
import type { Policy, PortMatch, Rule } from "../policy/ir.ts";
import { namesIn } from "../policy/peers.ts";
import { endsOf, peerTerms } from "../policy/normal-form.ts";

export interface Connections {
  /** Pods that represent those like them. */
  readonly pods: number;
  readonly count: number;
  /** From 0. */
  readonly at: (index: number) => Connection;
}

type Traffic = Pick<Connection, "protocol" | "port">;

/** Pods of one kind can be distinguished only as the two ends of a connection. */
const alike = 2;
const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];
/** Outside of what any policy names (RFC 5737, RFC 3849), unless it is everything. */
const elsewhere = ["203.0.113.7", "2001:db8::7"];
/** A port that is seldom named. */
const seldom = 61_234;

/** `open`: the namespaces of which at least one end is. */
export function connectionsOf(
  facts: FactStore,
  policies: readonly Policy[],
  open: ReadonlySet<string>,
): Connections {
  const pods = standIns([...facts.pods.values()]);
  const inside = pods.flatMap((pod) => pod.ips.map((ip): End => ({ ip, pod })));
  const outside = addresses(facts, policies).map((ip): End => ({ ip, pod: null }));
  const pairs = [
    ...inside.flatMap((from) => [...inside, ...outside].map((to) => [from, to] as const)),
    ...outside.flatMap((from) => inside.map((to) => [from, to] as const)),
  ]
    .filter(([from, to]) => from.pod !== to.pod && familyOf(from.ip) === familyOf(to.ip))
    .filter((ends) => ends.some(({ pod }) => pod !== null && open.has(pod.namespace)));
  const traffic = trafficOf(policies, pods);
  return {
    pods: pods.length,
    count: pairs.length * traffic.length,
    at: (index) => {
      const pair = pairs[Math.floor(index / traffic.length)];
      const kind = traffic[index % traffic.length];
      if (pair === undefined || kind === undefined) throw new RangeError(`no connection ${index}`);
      return { from: pair[0], to: pair[1], ...kind };
    },
  };
}

/** One or two of the pods that policies can distinguish by their addresses only. */
function standIns(pods: readonly PodFact[]): readonly PodFact[] {
  const reachable = pods.filter((pod) => isOnPodNetwork(pod) && pod.ips.length > 0);
  return [...Map.groupBy(reachable, likeness).values()].flatMap((same) => same.slice(0, alike));
}

function likeness({ namespace, labels, serviceAccount, ports, ips }: PodFact): string {
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([namespace, sorted, serviceAccount, ports, ips.map(familyOf)]);
}

function addresses(facts: FactStore, policies: readonly Policy[]): readonly End["ip"][] {
  const named = rulesOf(policies)
    .flatMap(peerTerms)
    .flatMap(endsOf)
    .flatMap(({ networks }) => networks)
    .map((cidr) => cidr.slice(0, cidr.indexOf("/")));
  const nodes = Array.from(facts.nodes, ({ ips }) => ips).flat();
  const parsed = [...new Set([...nodes, ...named, ...elsewhere])].map(parseIp);
  return parsed.filter((ip) => ip !== null);
}

function trafficOf(policies: readonly Policy[], pods: readonly PodFact[]): readonly Traffic[] {
  const named = rulesOf(policies).flatMap(({ ports }) => ports ?? []);
  const numbers = new Set(named.flatMap((port) => numbersOf(port, pods)));
  const near = new Set([...numbers].flatMap((number) => [number - 1, number, number + 1]));
  const valid = [...near, seldom].filter((port) => port > 0 && port < 65_536).sort((a, b) => a - b);
  return [
    ...valid.flatMap((port) => protocols.map((protocol) => ({ protocol, port }))),
    { protocol: "icmp", port: 0 },
  ];
}

function numbersOf(port: PortMatch, pods: readonly PodFact[]): readonly number[] {
  switch (port.kind) {
    case "port":
      return [port.port];
    case "range":
      return [port.start, port.end];
    case "named":
      return declaredBy(pods, [port.name]);
    case "declared":
      return (port.to?.ranges ?? [])
        .flatMap(({ start, end }) => [start, end])
        .concat(declaredBy(pods, namesIn(port.to)));
    case "protocol":
    case "protocols":
    case "icmp":
    case "otherIcmp":
      return [];
  }
}

function declaredBy(pods: readonly PodFact[], names: readonly string[]): readonly number[] {
  return pods.flatMap(({ ports }) =>
    ports.filter(({ name }) => names.includes(name)).map(({ port }) => port),
  );
}

function rulesOf(policies: readonly Policy[]): readonly Rule[] {
  return policies.flatMap(({ rules }) => [...rules.ingress, ...rules.egress]);
}
