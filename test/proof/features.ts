// What the worlds of the proof are said to hold, each as a question to one world. Counted, not believed: coverage.test.ts.

import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { NamedPort, PodFact } from "../../src/model/facts.ts";
import { contains } from "../../src/model/cidr.ts";
import { familyOf } from "../../src/model/ip.ts";
import type { IpAddress } from "../../src/model/ip.ts";
import type { Dialect } from "../../src/policy/contracts/dialect.ts";
import type { Policy } from "../../src/policy/ir.ts";
import { peerTerms } from "../../src/policy/normal-form.ts";
import { directions } from "../../src/policy/ir.ts";
import type { Opinion } from "./judges.ts";
import { namePrefix } from "./cluster-policies.ts";
import { compiled } from "./judges.ts";
import { nameLabel } from "./network-policies.ts";
import type { Probe } from "./packets.ts";
import type { State } from "./pods.ts";
import { stateLabel } from "./pods.ts";
import type { ProofWorld, Sorted } from "./worlds.ts";
import { sorted } from "./worlds.ts";

export interface Seen extends Sorted {
  /** All specs as one text. */
  readonly specs: string;
  readonly compiled: readonly Policy[];
  readonly world: ProofWorld;
}

export function seenOf(world: ProofWorld, installed?: readonly Dialect[]): Seen {
  const objects = sorted(world.objects);
  const specs = JSON.stringify(objects.policies.map(({ spec }) => spec));
  return { ...objects, specs, compiled: compiled(world.objects, installed), world };
}

const inState =
  (state: State) =>
  ({ pods }: Seen) =>
    pods.some((pod) => pod.labels.get(stateLabel) === state);

/** The text of all specs. */
export const written =
  (pattern: RegExp) =>
  ({ specs }: Seen) =>
    pattern.test(specs);

const longest = 63;
const live = ({ pods }: Seen): readonly PodFact[] => pods.filter(isOnPodNetwork);
const rulesIn = ({ rules }: Policy): number => rules.ingress.length + rules.egress.length;
const familiesOf = ({ ips }: PodFact): number => new Set(ips.map(familyOf)).size;

function declares(seen: Seen, isTwice: (one: NamedPort, other: NamedPort) => boolean): boolean {
  return live(seen).some(({ ports }) =>
    ports.some((one) => ports.some((other) => one.name === other.name && isTwice(one, other))),
  );
}

function namesNetworkOf(seen: Seen, addresses: readonly IpAddress[]): boolean {
  const terms = seen.compiled.flatMap((policy) => policy.rules.egress.flatMap(peerTerms));
  const networks = terms.flatMap(({ anyOf }) => anyOf.networks);
  return networks.some((cidr) => addresses.some((address) => contains(cidr, address)));
}

/** By what a world has; how many of the sampled ones must have it is told beside. */
export const features: Readonly<Record<string, readonly [(seen: Seen) => boolean, least: number]>> = {
  "an empty selector": [written(/:\{\}/), 100],
  "empty matchLabels": [written(/"matchLabels":\{\}/), 20],
  "empty matchExpressions": [written(/"matchExpressions":\[\]/), 20],
  "operator In": [written(/"operator":"In"/), 50],
  "operator NotIn": [written(/"operator":"NotIn"/), 50],
  "operator Exists": [written(/"operator":"Exists"/), 50],
  "operator DoesNotExist": [written(/"operator":"DoesNotExist"/), 50],
  "a namespace without labels of its own": [
    ({ namespaces }) =>
      [...namespaces.values()].some(({ labels }) => labels.size === 1 && labels.has(nameLabel)),
    50,
  ],
  "pods of a namespace that nobody knows": [
    (seen) => live(seen).some(({ namespace }) => !seen.namespaces.has(namespace)),
    20,
  ],
  "a pod without labels": [(seen) => live(seen).some(({ labels }) => labels.size === 0), 50],
  "a host-network pod": [inState("hostNetwork"), 50],
  "a completed pod": [inState("completed"), 50],
  "a completed pod with the address of a live one": [
    (seen) =>
      seen.pods.some(
        ({ completed, ips }) => completed && live(seen).some((pod) => ips.some((ip) => pod.ips.includes(ip))),
      ),
    10,
  ],
  "a Terminating pod": [inState("terminating"), 50],
  "an unscheduled pod": [inState("unscheduled"), 50],
  "a pod without addresses": [inState("withoutAddress"), 50],
  "one port name on several numbers": [(seen) => declares(seen, (a, b) => a.port !== b.port), 50],
  "one port name on several protocols": [(seen) => declares(seen, (a, b) => a.protocol !== b.protocol), 50],
  "a port range": [written(/"portRange"/), 50],
  "a range of one port": [written(/"start":80,"end":80\b/), 10],
  "a range that ends before it starts": [written(/"start":90,"end":70/), 10],
  "a named port": [written(/"namedPort"/), 50],
  "a name that nobody declares": [written(/"namedPort":"nobodys"/), 20],
  "a pod of both families": [(seen) => live(seen).some((pod) => familiesOf(pod) === 2), 50],
  "only IPv6": [(seen) => live(seen).every(({ ips }) => ips.every((ip) => familyOf(ip) === "v6")), 20],
  "only IPv4": [(seen) => live(seen).every(({ ips }) => ips.every((ip) => familyOf(ip) === "v4")), 20],
  "a network that covers pods": [
    (seen) =>
      namesNetworkOf(
        seen,
        live(seen).flatMap(({ ips }) => ips),
      ),
    50,
  ],
  "a network that covers nodes": [
    (seen) =>
      namesNetworkOf(
        seen,
        seen.nodes.flatMap(({ ips }) => ips),
      ),
    50,
  ],
  "a node with several addresses of a family": [
    ({ nodes }) => nodes.some(({ ips }) => ips.length > new Set(ips.map(familyOf)).size),
    50,
  ],
  "pods on three nodes": [(seen) => new Set(live(seen).map(({ node }) => node)).size === 3, 50],
  "pods of a node that nobody knows": [
    ({ pods, nodes }) =>
      pods.some((pod) => pod.node !== null && !nodes.some(({ name }) => name === pod.node)),
    20,
  ],
  "a pod's name over 63 characters": [(seen) => live(seen).some(({ name }) => name.length > longest), 50],
  "a policy's name over 63 characters": [
    ({ policies }) => policies.some(({ name }) => name.length > longest),
    50,
  ],
  "two names alike in their first 63 characters": [
    ({ policies }) => policies.filter(({ name }) => name.length > longest).length > 1,
    10,
  ],
  "a policy without rules": [(seen) => seen.compiled.some((policy) => rulesIn(policy) === 0), 30],
  "one hundred rules": [
    (seen) => seen.compiled.some(({ rules }) => directions.some((side) => rules[side].length === 100)),
    3,
  ],
  "an unknown peer": [written(/"galaxies"/), 50],
  "a domain name": [written(/"domainNames"/), 10],
  "an unknown port": [written(/"portOfTheFuture"/), 30],
  "two policies of one priority": [
    ({ policies }) =>
      policies.some(({ spec }, at) =>
        policies.some((other, place) => place !== at && priorityOf(other.spec) === priorityOf(spec)),
      ),
    20,
  ],
  "a ClusterNetworkPolicy of tier Admin": [written(/"tier":"Admin"/), 50],
  "ClusterNetworkPolicies of tier Baseline and a BaselineAdminNetworkPolicy": [
    ({ policies }) =>
      policies.some(({ kind }) => kind === "BaselineAdminNetworkPolicy") &&
      policies.some(({ name }) => name.startsWith(namePrefix.Baseline)),
    20,
  ],
  "a named port of a ClusterNetworkPolicy": [written(/"destinationNamedPort"/), 30],
  "pods of no namespace in particular": [written(/"subject":\{"pods":\{"podSelector"/), 20],
  "a NetworkPolicy": [({ world }) => (world.networkPolicies ?? []).length > 0, 100],
  "a NetworkPolicy of one direction": [
    ({ world }) => (world.networkPolicies ?? []).some(({ rules }) => Object.keys(rules).length === 1),
    50,
  ],
};

function priorityOf(spec: unknown): unknown {
  // The baseline has none.
  return /"priority":(\d+)/.exec(JSON.stringify(spec))?.[1] ?? Symbol("none");
}

/** By what the packets of a world meet, and how many of the sampled packets must. */
export const encounters: Readonly<
  Record<string, readonly [(probe: Probe, meant: Opinion) => boolean, least: number]>
> = {
  "a pass past tier 2 to the baseline": [(_, { rules }) => follows(rules, /^Admin.* pass$/, /^Baseline/), 50],
  "a pass to a NetworkPolicy that denies": [
    (_, { rules }) => follows(rules, /^Admin.* pass$/, /^NetworkPolicies .* deny$/),
    50,
  ],
  "a pass to a NetworkPolicy that allows": [
    (_, { rules }) => follows(rules, /^Admin.* pass$/, /^NetworkPolicies .* allow$/),
    20,
  ],
  "all three tiers on the two sides": [
    (_, { rules }) =>
      [
        /^(Admin|ClusterNetworkPolicy\/ca-)/,
        /^NetworkPolicies/,
        /^(Baseline|ClusterNetworkPolicy\/cb-)/,
      ].every((tier) => rules.some((rule) => tier.test(rule))),
    3,
  ],
  "a pass in the baseline, past the policy of the API before": [
    (_, { rules }) => rules.some((rule) => /^ClusterNetworkPolicy\/cb-.* pass$/.test(rule)),
    20,
  ],
  "a ClusterNetworkPolicy before NetworkPolicies": [
    (_, { rules }) => follows(rules, /^ClusterNetworkPolicy\/ca-.* pass$/, /^NetworkPolicies/),
    5,
  ],
  "an AdminNetworkPolicy's pass to the baseline of the newer API": [
    (_, { rules }) => follows(rules, /^Admin.* pass$/, /^ClusterNetworkPolicy\/cb-/),
    20,
  ],
  "from outside to a pod": [({ connection }) => connection.from.pod === null, 500],
  "from a pod to outside": [({ connection }) => connection.to.pod === null, 500],
  "between two nodes": [
    ({ connection: { from, to } }) => from.pod !== null && to.pod !== null && from.pod.node !== to.pod.node,
    500,
  ],
  "on one node": [
    ({ connection: { from, to } }) => from.pod !== null && to.pod !== null && from.pod.node === to.pod.node,
    500,
  ],
};

/** Whether a rule that `second` describes comes next to one that `first` does. */
function follows(rules: readonly string[], first: RegExp, second: RegExp): boolean {
  return rules.some((rule, at) => first.test(rule) && second.test(rules[at + 1] ?? ""));
}
