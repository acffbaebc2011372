// A plan against two runs of the judge: every connection of a sample is in exactly one class if the possible verdicts of the
// two worlds (policy/ties.ts) differ, with these verdicts, and in none if they do not. The sample has every pair of pods, nodes
// and addresses at the borders of networks, on every port at which a rule could begin or end, and on every other protocol.

import ipaddr from "ipaddr.js";
import { neverPods } from "../../src/analysis/internet.ts";
import type { PodFact, PodKey } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { contains } from "../../src/model/cidr.ts";
import type { Cidr, IpAddress, IpFamily } from "../../src/model/ip.ts";
import { familyOf, parseIp } from "../../src/model/ip.ts";
import type { ObjectKey } from "../../src/model/object.ts";
import { objectKey } from "../../src/model/object.ts";
import { anyNode, workloadKey } from "../../src/model/workload.ts";
import { icmpNumbers } from "../../src/model/protocols.ts";
import { judged, type Judged } from "../../src/plan/judged.ts";
import type { VerdictClass } from "../../src/plan/report.ts";
import type { Age, Both } from "../../src/verdicts/worlds.ts";
import type { PlanWorld } from "../../src/plan/world.ts";
import { ages, both } from "../../src/verdicts/worlds.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { PortRange } from "../../src/policy/ir.ts";
import { directions } from "../../src/policy/ir.ts";
import { endsOf as partsOf, ownTerm, peerTerms, trafficOf as termsOf } from "../../src/policy/normal-form.ts";
import { namesIn } from "../../src/policy/peers.ts";
import { outcomes } from "../../src/policy/ties.ts";

type Traffic = Pick<Connection, "protocol" | "port" | "sourcePort" | "icmp">;

/** A pod or a workload by its key in both worlds, or an address. */
type Asked =
  | { readonly key: PodKey; readonly family: IpFamily }
  | { readonly workload: ObjectKey; readonly family: IpFamily }
  | { readonly ip: IpAddress };

export interface Checked {
  readonly plan: Judged;
  readonly connections: number;
  readonly changed: number;
  /** In words; none: the plan is exact on the sample. */
  readonly faults: readonly string[];
}

const namer = () =>
  ({ direction: "egress", index: 0, name: "", action: "allow", word: "Allow", place: null }) as const;

/** Of more connections than `limit`, some at even distances. */
export function checked(worlds: Both<PlanWorld>, limit = 40_000): Checked {
  const plan = judged(worlds, { old: namer, new: namer });
  const ends = endsOf(worlds);
  const pairs = ends.flatMap((from) =>
    ends.filter((to) => isMeant(from, to)).map((to) => [from, to] as const),
  );
  const traffic = trafficOf(worlds);
  const total = pairs.length * traffic.length;
  // Not a divisor of the number of kinds of traffic, so that all of them are met.
  const step = total <= limit ? 1 : 2 * Math.ceil(total / limit / 2) + 1;
  const faults: string[] = [];
  let [connections, changed] = [0, 0];
  for (let n = 0; n < total; n += step) {
    const [pair, one] = [pairs[Math.floor(n / traffic.length)], traffic[n % traffic.length]];
    if (pair === undefined || one === undefined || !isIn(familyIn(pair), one)) continue;
    connections++;
    const verdicts = both((age) => verdictOf(worlds, age, pair, one));
    const differs = verdicts.old !== verdicts.new;
    if (differs) changed++;
    const classes = plan.classes.filter((each) => holds(each, pair, one));
    const isRight = differs
      ? classes.length === 1 && classes[0]?.old === verdicts.old && classes[0].new === verdicts.new
      : classes.length === 0;
    if (!isRight) faults.push(faultText(pair, one, verdicts, classes));
  }
  return { plan, connections, changed, faults };
}

/** Of a workload, every address that nothing has counts, on every node. */
function verdictOf(worlds: Both<PlanWorld>, age: Age, [from, to]: Pair, traffic: Traffic): string {
  const { facts, policies, workloads = [] } = worlds[age];
  const ends = (asked: Asked): readonly End[] => {
    if ("ip" in asked) return [{ ip: asked.ip, pod: null }];
    if ("workload" in asked) {
      const template = workloads.find((one) => workloadKey(one) === asked.workload)?.template;
      if (template === undefined) throw new Error(`there is no ${asked.workload}`);
      return placesOf(worlds, asked.family).flatMap((ip) =>
        [anyNode, ...Array.from(facts.nodes, ({ name }) => name)].map((node) => ({
          ip,
          pod: { ...template, node, ips: [ip] },
        })),
      );
    }
    const pod = facts.pods.get(asked.key) ?? null;
    const ip = pod?.ips.find((one) => familyOf(one) === asked.family);
    if (ip === undefined) throw new Error(`${asked.key} has no address`);
    return [{ ip, pod }];
  };
  const verdicts = new Set(
    ends(from).flatMap((source) =>
      ends(to).flatMap((target) => [
        ...outcomes({ from: source, to: target, ...traffic }, facts, policies).verdicts,
      ]),
    ),
  );
  return verdicts.size > 1 ? "unknown" : [...verdicts].join();
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

/** A source port that no rule of the tests names. */
const unnamed = 61_235;

type Pair = readonly [from: Asked, to: Asked];

function isMeant(from: Asked, to: Asked): boolean {
  if ("ip" in from) return !("ip" in to) && to.family === familyOf(from.ip);
  if ("ip" in to) return from.family === familyOf(to.ip);
  const isSame = "key" in from && "key" in to && from.key === to.key;
  return !isSame && from.family === to.family;
}

function familyIn([from, to]: Pair): IpFamily {
  if ("ip" in from) return familyOf(from.ip);
  return "ip" in to ? familyOf(to.ip) : from.family;
}

/** ICMP by its own number is `icmp`. */
function isIn(family: IpFamily, { protocol }: Traffic): boolean {
  return protocol !== icmpNumbers[family];
}

function holds(one: VerdictClass, [from, to]: Pair, traffic: Traffic): boolean {
  if (!one.families.includes(familyIn([from, to]) === "v4" ? "IPv4" : "IPv6")) return false;
  const isEnd = ({ pods, workloads, addresses }: VerdictClass["from"], asked: Asked) => {
    if ("ip" in asked) return addresses.some((network) => contains(network, asked.ip));
    if ("key" in asked) return pods.includes(asked.key);
    return workloads.some((ref) => objectKey(ref, ref.namespace, ref.name) === asked.workload);
  };
  return isEnd(one.from, from) && isEnd(one.to, to) && one.traffic.some((each) => carries(each, traffic));
}

function carries(
  { protocol, ports, sourcePorts, types, numbers }: VerdictClass["traffic"][number],
  traffic: Traffic,
): boolean {
  const among = (number: number, ranges: readonly (readonly [number, number])[] | undefined) =>
    ranges?.some(([first, last]) => first <= number && number <= last) ?? true;
  if (typeof traffic.protocol === "number") return protocol === "other" && among(traffic.protocol, numbers);
  if (protocol !== traffic.protocol) return false;
  if (traffic.protocol !== "icmp")
    return among(traffic.port, ports) && among(traffic.sourcePort ?? unnamed, sourcePorts);
  const { type, code } = traffic.icmp ?? { type: 0, code: 0 };
  return among(256 * type + code, types);
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
  return [...borders, ...nodes, ...lost, ...elsewhere.flatMap((text) => parseIp(text) ?? [])];
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

function trafficOf(worlds: Both<PlanWorld>): readonly Traffic[] {
  const terms = ages
    .flatMap((age) => worlds[age].policies)
    .flatMap((policy) => directions.flatMap((direction) => policy.rules[direction]))
    .flatMap(({ ports }) => ports ?? [])
    .flatMap(termsOf);
  const declared = ages.flatMap((age) =>
    [...worlds[age].facts.pods.values()].flatMap(({ ports }) => ports.map(({ port }) => port)),
  );
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
        [...new Set([...sourcePorts, unnamed])].map((sourcePort) => ({ protocol, port, sourcePort })),
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

function faultText(
  [from, to]: Pair,
  traffic: Traffic,
  verdicts: Both<string>,
  classes: readonly VerdictClass[],
): string {
  const text = (asked: Asked) =>
    "ip" in asked ? asked.ip : `${"key" in asked ? asked.key : asked.workload} ${asked.family}`;
  const found = classes.map((one) => `${one.old}→${one.new} ${one.from.title} → ${one.to.title}`).join("; ");
  return `${text(from)} → ${text(to)} ${JSON.stringify(traffic)}: ${verdicts.old}→${verdicts.new}, classes: ${found}`;
}
