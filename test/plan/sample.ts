// Every connection of two worlds at which a verdict could change: every pair of pods, workloads, nodes and addresses at the borders
// of networks, on every port at which a rule could begin or end, and on every other protocol; and the possible verdicts of the
// judge (policy/ties.ts) in each world. One world is asked as both.

import ipaddr from "ipaddr.js";
import { neverPods } from "../../src/analysis/internet.ts";
import type { PodFact, PodKey } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { contains } from "../../src/model/cidr.ts";
import type { Cidr, IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf, parseIp } from "../../src/model/ip.ts";
import type { ObjectKey } from "../../src/model/object.ts";
import { icmpNumbers } from "../../src/model/protocols.ts";
import { anyNode, workloadKey } from "../../src/model/workload.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import type { End } from "../../src/policy/evaluate.ts";
import type { PortRange } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { endsOf as partsOf, ownTerm, peerTerms, trafficOf as termsOf } from "../../src/policy/normal-form.ts";
import { namesIn } from "../../src/policy/peers.ts";
import { outcomes } from "../../src/policy/ties.ts";
import type { Age, Both } from "../../src/verdicts/worlds.ts";
import { ages, both } from "../../src/verdicts/worlds.ts";
import type { ClassVerdict } from "../../src/verdicts/walk.ts";
import type { Carried } from "../support/can.ts";
import { unnamedPort } from "../support/can.ts";

/** A pod or a workload by its key in both worlds, or an address. */
export type Asked =
  | { readonly key: PodKey; readonly family: IpFamily }
  | { readonly workload: ObjectKey; readonly family: IpFamily }
  | { readonly ip: IpAddress };

/** Every pair that a plan is about: never a pod and itself, never two addresses. */
export function pairsOf(worlds: Both<PlanWorld>): readonly Pair[] {
  const ends = endsOf(worlds);
  return ends.flatMap((from) => ends.filter((to) => isMeant(from, to)).map((to) => [from, to] as const));
}

/** Of a workload, every address that nothing has counts, on every node. */
export function verdictOf(
  worlds: Both<PlanWorld>,
  age: Age,
  [from, to]: Pair,
  traffic: Carried,
): ClassVerdict {
  const { facts, policies, workloads = [] } = worlds[age];
  const ends = (asked: Asked): readonly End[] => {
    if (!("workload" in asked)) return [endOf(worlds[age], asked)];
    const template = workloads.find((one) => workloadKey(one) === asked.workload)?.template;
    if (template === undefined) throw new Error(`there is no ${asked.workload}`);
    return placesOf(worlds, asked.family).flatMap((ip) =>
      [anyNode, ...Array.from(facts.nodes, ({ name }) => name)].map((node) => ({
        ip,
        pod: { ...template, node, ips: [ip] },
      })),
    );
  };
  const verdicts = new Set(
    ends(from).flatMap((source) =>
      ends(to).flatMap((target) => [
        ...outcomes({ from: source, to: target, ...traffic }, facts, policies).verdicts,
      ]),
    ),
  );
  const [verdict, ...others] = verdicts;
  return verdict === undefined || others.length > 0 ? "unknown" : verdict;
}

/** Of a pod, its first address of the family. */
export function endOf({ facts }: PlanWorld, asked: Exclude<Asked, { readonly workload: ObjectKey }>): End {
  if ("ip" in asked) return { ip: asked.ip, pod: null };
  const pod = facts.pods.get(asked.key) ?? null;
  const ip = pod?.ips.find((one) => familyOf(one) === asked.family);
  if (ip === undefined) throw new Error(`${asked.key} has no address`);
  return { ip, pod };
}

const knownPlaces = new WeakMap<Both<PlanWorld>, Partial<Record<IpFamily, readonly IpAddress[]>>>();

function placesOf(worlds: Both<PlanWorld>, family: IpFamily): readonly IpAddress[] {
  const known = knownPlaces.get(worlds) ?? {};
  knownPlaces.set(worlds, known);
  return (known[family] ??= freeAddresses(worlds, family));
}

function freeAddresses(worlds: Both<PlanWorld>, family: IpFamily): readonly IpAddress[] {
  const taken = ages.flatMap((age) => [
    ...[...worlds[age].facts.pods.values()].filter(isOnPodNetwork).flatMap(({ ips }) => ips),
    ...[...worlds[age].facts.nodes].flatMap(({ ips }) => ips),
  ]);
  const all = new Set(ages.flatMap((age) => addressesIn(worlds[age])));
  return [...all].filter(
    (ip) =>
      familyOf(ip) === family && !taken.includes(ip) && !neverPods.some((network) => contains(network, ip)),
  );
}

export type Pair = readonly [from: Asked, to: Asked];

function isMeant(from: Asked, to: Asked): boolean {
  if ("ip" in from) return !("ip" in to) && to.family === familyOf(from.ip);
  if ("ip" in to) return from.family === familyOf(to.ip);
  const isSame = "key" in from && "key" in to && from.key === to.key;
  return !isSame && from.family === to.family;
}

export function familyIn([from, to]: Pair): IpFamily {
  if ("ip" in from) return familyOf(from.ip);
  return "ip" in to ? familyOf(to.ip) : from.family;
}

/** ICMP by its own number is `icmp`. */
export function isIn(family: IpFamily, { protocol }: Carried): boolean {
  return protocol !== icmpNumbers[family];
}

/** Pods of both worlds, and addresses that are no pod's in either. */
function endsOf(worlds: Both<PlanWorld>): readonly Asked[] {
  const live = both((age) => new Map([...worlds[age].facts.pods].filter(([, pod]) => isOnPodNetwork(pod))));
  const pods = [...live.old].flatMap(([key, pod]) =>
    (["v4", "v6"] as const)
      .filter((family) =>
        [pod, live.new.get(key)].every((one) => one !== undefined && hasFamily(one, family)),
      )
      .map((family) => ({ key, family })),
  );
  const held = new Set(ages.flatMap((age) => [...live[age].values()].flatMap(({ ips }) => ips)));
  const addresses = ages.flatMap((age) => addressesIn(worlds[age]));
  const made = (worlds.old.workloads ?? []).filter(({ template }) => isOnPodNetwork(template));
  const there = new Set((worlds.new.workloads ?? []).map(workloadKey));
  const workloads = made
    .map(workloadKey)
    .filter((key) => there.has(key))
    .flatMap((workload) => (["v4", "v6"] as const).map((family) => ({ workload, family })));
  const free = [...new Set(addresses)].filter((ip) => !held.has(ip));
  return [...pods, ...workloads, ...free.map((ip) => ({ ip }))];
}

function hasFamily({ ips }: PodFact, family: IpFamily): boolean {
  return ips.some((ip) => familyOf(ip) === family);
}

const elsewhere = ["198.51.100.7", "0.0.0.0", "255.255.255.255", "2001:db8:1::7", "::", "1::"];

function addressesIn({ policies, facts }: PlanWorld): readonly IpAddress[] {
  const rules = policies.flatMap((policy) => directions.flatMap((direction) => policy.rules[direction]));
  const networks = rules
    .flatMap((rule) => [...peerTerms(rule), ...[ownTerm(rule)].filter((own) => own !== null)])
    .flatMap(partsOf)
    .flatMap((ends) => ends.networks);
  const borders = [...new Set(networks)].flatMap(bordersOf);
  const nodes = [...facts.nodes].flatMap(({ ips }) => ips);
  const lost = [...facts.pods.values()].filter((pod) => !isOnPodNetwork(pod)).flatMap(({ ips }) => ips);
  const answered = [...facts.hostNames].flatMap(({ ips }) => ips);
  return [...borders, ...nodes, ...answered, ...lost, ...elsewhere.flatMap((text) => parseIp(text) ?? [])];
}

/** The first and last address, and those before and behind. */
function bordersOf(network: Cidr): readonly IpAddress[] {
  const [address, length] = ipaddr.parseCIDR(network);
  const bytes = address.toByteArray();
  const first = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const size = 1n << BigInt(8 * bytes.length - length);
  const end = 1n << BigInt(8 * bytes.length);
  return [first - 1n, first, first + size - 1n, first + size]
    .filter((number) => number >= 0n && number < end)
    .flatMap((number) => {
      const all = bytes.map((_, at) => Number((number >> BigInt(8 * (bytes.length - 1 - at))) & 255n));
      return parseIp(ipaddr.fromByteArray(all).toString()) ?? [];
    });
}

export function trafficOf(worlds: Both<PlanWorld>): readonly Carried[] {
  const terms = ages
    .flatMap((age) => worlds[age].policies)
    .flatMap((policy) => directions.flatMap((direction) => policy.rules[direction]))
    .flatMap(({ ports }) => ports ?? [])
    .flatMap(termsOf);
  const declared = ages.flatMap((age) => {
    const { facts, workloads = [] } = worlds[age];
    const pods = [...facts.pods.values(), ...workloads.map(({ template }) => template)];
    return pods.flatMap(({ ports }) => ports.map(({ port }) => port));
  });
  const named = terms
    .flatMap(({ destination: to }) => (to === null ? [] : [...to.ranges, ...to.except.ranges]))
    .flatMap(({ start, end }) => [start, end]);
  const near = [...declared, ...named].flatMap((number) => [number - 1, number, number + 1]);
  const ports = [...new Set([...near, 61_234])].filter((port) => port >= 1 && port <= 65_535);
  const others = terms.flatMap(({ protocols }) => protocols ?? []);
  const numbers = [...new Set([...others, 47, 58, 1])].filter((number) => ![6, 17, 132].includes(number));
  const types = terms.filter(
    ({ protocols }) => protocols?.some((number) => [1, 58].includes(number)) === true,
  );
  const icmp = [
    { type: 8, code: 0 },
    { type: 128, code: 0 },
    { type: 77, code: 5 },
  ].concat(
    types.flatMap(({ icmpTypes, icmpCodes }) =>
      atBorders(icmpTypes, 77).flatMap((type) => atBorders(icmpCodes, 5).map((code) => ({ type, code }))),
    ),
  );
  const sourcePorts = terms
    .flatMap(({ source }) => (source === null ? [] : [...source.ranges, ...source.except.ranges]))
    .flatMap(({ start, end }) => [start, end])
    .concat(terms.some(({ source }) => source !== null && namesIn(source).length > 0) ? declared : [])
    .flatMap((number) => [number - 1, number, number + 1])
    .filter((port) => port >= 1 && port <= 65_535);
  return [
    ...ports.flatMap((port) =>
      (["tcp", "udp", "sctp"] as const).flatMap((protocol) =>
        [...new Set([...sourcePorts, unnamedPort])].map((sourcePort) => ({ protocol, port, sourcePort })),
      ),
    ),
    ...icmp.map((one) => ({ protocol: "icmp" as const, port: 0, icmp: one })),
    ...numbers.map((protocol) => ({ protocol, port: 0 })),
  ];
}

/** The first and the last of each range, and those before and behind. */
function atBorders(ranges: readonly PortRange[] | null, otherwise: number): readonly number[] {
  if (ranges === null) return [otherwise];
  const near = ranges.flatMap(({ start, end }) => [start - 1, start, end, end + 1]);
  return [...new Set(near)].filter((value) => value >= 0 && value <= 255);
}
