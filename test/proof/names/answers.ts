// What DNS answered in worlds of the proof, and which of its addresses a name may lead to. The rule is written from docs/names.md in plain
// words, and shares no code with the program.

import fc from "fast-check";
import type { HostNameFact, NodeFact, PodFact } from "../../../src/model/facts.ts";
import { parseIp } from "../../../src/model/ip.ts";
import { hostName, ip } from "../../support/facts.ts";

/** The addresses are texts, as an answer has them, and some of them are none. */
export interface Answered {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** The last one as an answer may write it. */
const answeredNames = [
  ...["example.org", "www.example.org", "api.example.org", "a.b.example.org", "www.example.net"],
  ...["notexample.org", "db.prod.svc.cluster.local", "Mail.Example.ORG."],
];
/** Policies name them, and no answer does. */
const silentNames = ["never.example.com", "never.b.example.org"];
export const exactNames = [
  ...[...answeredNames, ...silentNames],
  ...["MAIL.example.org", "WWW.example.org", "Api.Example.Org", "Example.org"],
];

/** Where names lead: outside of the cluster, and away from the networks that other rules name or inside of them. */
const places = [
  ...["198.51.100.20", "198.51.100.21", "198.51.100.22", "203.0.113.30", "203.0.113.31", "192.168.7.7"],
  ...["2001:db8::20", "2001:db8::21", "2001:db8:5::1", "2001:db8:5::2", "fd77::7"],
];
const service = "10.96.0.10";
/** Of pods, of nodes, of their networks and of a Service, where the world has them. */
const takenPlaces = [
  ...["10.0.0.16", "10.0.1.17", "10.0.0.18", "fd00::10", "fd00:0:0:1::11", "fd00::12", "10.0.0.200"],
  ...["172.18.0.1", "172.18.0.2", "192.0.2.1", "fd18::2", "2001:db8:18::1", service],
];
const reserved = [
  ...["127.0.0.1", "169.254.169.254", "0.0.0.0", "255.255.255.255", "224.0.0.1", "::1", "fe80::1", "ff02::1"],
  ...["::ffff:198.51.100.21", "64:ff9b::a00:10", "192.0.2.undefined", "010.0.0.16", ""],
];

/** Packets go to all that names may lead to, and to two addresses that no answer has. */
export const destinations = [...places, service, "198.51.100.99", "2001:db8::99"].map(ip);

const addresses = fc.uniqueArray(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...places) },
    { weight: 3, arbitrary: fc.constantFrom(...takenPlaces) },
    { weight: 1, arbitrary: fc.constantFrom(...reserved) },
  ),
  { minLength: 1, maxLength: 3 },
);

/** Of most names, in any order; one address is of several names often. */
export const answers: fc.Arbitrary<readonly Answered[]> = fc
  .shuffledSubarray(answeredNames, { minLength: 3 })
  .chain((names) => fc.tuple(...names.map((name) => addresses.map((list) => ({ name, addresses: list })))));

export const serviceNetworks = ["10.96.0.0/16"];
/** Of pods, where nodes say them. */
export const podNetworks = ["10.0.0.0/24", "fd00::/64"];

/** Of the cluster that the answers come to. */
export interface Surroundings {
  readonly pods: readonly PodFact[];
  readonly nodes: readonly NodeFact[];
}

/** The facts that the answers make: the addresses that rules may allow. */
export function meantFacts(
  answered: readonly Answered[],
  around: Surroundings,
  mayLead = leads,
): readonly HostNameFact[] {
  return answered.map(({ name, addresses: list }) =>
    hostName(plainName(name), ...list.filter((address) => mayLead(address, name, around))),
  );
}

/** Whether a rule of the name may allow the address. */
export function leads(address: string, name: string, { pods, nodes }: Surroundings): boolean {
  if (reserved.includes(address) || address === service) return false;
  const isThis = (other: string) => other === parseIp(address);
  if (nodes.some((node) => node.ips.some(isThis))) return false;
  if (name.endsWith(".cluster.local")) return true;
  // Not of a pod that has ended, nor of one on its node's network.
  const running = pods.filter(
    ({ hostNetwork, completed, node }) => !hostNetwork && !completed && node !== null,
  );
  if (running.some((pod) => pod.ips.some(isThis))) return false;
  const isOfPods = address.startsWith("10.0.0.") || /^fd00::[0-9a-f]*$/.test(address);
  return !(isOfPods && nodes.some((node) => (node.podNetworks ?? []).length > 0));
}

/** As facts have it. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
