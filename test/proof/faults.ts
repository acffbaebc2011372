// Faults that an implementation of the policy APIs could have and its usual tests would not notice, each as another meaning
// of the same world. A generator is worth something when the packets of its worlds tell these meanings from the right one.
// Not here: a pod that speaks to itself, whose packet never comes to its switch.

import type { PodFact, Protocol } from "../../src/model/facts.ts";
import { familyOf, parseCidr } from "../../src/model/ip.ts";
import type { Cidr, IpAddress } from "../../src/model/ip.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { isNode, isPod } from "../../src/model/object.ts";
import { everything, selects } from "../../src/model/selector.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Peer, Policy, PortMatch, Rule, Tier } from "../../src/policy/ir.ts";
import type { Meaning } from "./judges.ts";
import { compiled, meaningOf, meaningOfPolicies } from "./judges.ts";
import { meaningOfNetworkPolicy } from "./network-policies.ts";
import type { ProofWorld } from "./worlds.ts";
import { sorted } from "./worlds.ts";

export type Fault = (world: ProofWorld) => Meaning;

const policiesOf = ({ objects, networkPolicies = [] }: ProofWorld): readonly Policy[] => [
  ...compiled(objects),
  ...networkPolicies.map(meaningOfNetworkPolicy),
];

/** The same world with other policies. */
const ofPolicies =
  (change: (policy: Policy, world: ProofWorld) => Policy): Fault =>
  (world) =>
    meaningOfPolicies(
      policiesOf(world).map((policy) => change(policy, world)),
      world.objects,
      null,
    );

const ofRules = (change: (rule: Rule, world: ProofWorld, policy: Policy) => Rule): Fault =>
  ofPolicies((policy, world) => ({
    ...policy,
    rules: {
      ingress: policy.rules.ingress.map((rule) => change(rule, world, policy)),
      egress: policy.rules.egress.map((rule) => change(rule, world, policy)),
    },
  }));

const ofPeers = (change: (peer: Peer, world: ProofWorld) => readonly Peer[]): Fault =>
  ofRules((rule, world) => ({ ...rule, peers: rule.peers.flatMap((peer) => change(peer, world)) }));

const ofPorts = (change: (port: PortMatch) => readonly PortMatch[]): Fault =>
  ofRules((rule) => ({ ...rule, ports: rule.ports?.flatMap(change) ?? null }));

/** The same world with other objects. */
const ofObjects =
  (change: (object: WorldObject) => WorldObject): Fault =>
  ({ objects, networkPolicies }) =>
    meaningOf(objects.map(change), { networkPolicies });

const ofSpecs = (change: (spec: unknown) => unknown): Fault =>
  ofObjects((object) => ("spec" in object ? ({ ...object, spec: change(object.spec) } as const) : object));

const ofTier = (name: Tier["name"], order: number): Fault =>
  ofPolicies((policy) => (policy.tier.name === name ? { ...policy, tier: { name, order } } : policy));

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];

function single(ip: IpAddress): Cidr {
  const cidr = parseCidr(`${ip}/${familyOf(ip) === "v4" ? 32 : 128}`);
  if (cidr === null) throw new Error(`${ip} is not an address`);
  return cidr;
}

function without(value: unknown, key: string): unknown {
  return JSON.parse(JSON.stringify(value, (name, held: unknown) => (name === key ? undefined : held)));
}

const isUnknown = (rule: unknown): boolean =>
  /"(?:galaxies|domainNames|portOfTheFuture)"/.test(JSON.stringify(rule));

function withoutUnknown(spec: unknown): unknown {
  return JSON.parse(
    JSON.stringify(spec, (name, held: unknown) =>
      (name === "ingress" || name === "egress") && Array.isArray(held)
        ? held.filter((rule) => !isUnknown(rule))
        : held,
    ),
  );
}

/** Pods that do not count, as the addresses they would bring to the pod peers that select them. */
const withAddressesOf = (isCounted: (pod: PodFact) => boolean): Fault =>
  ofPeers((peer, { objects }) => {
    if (peer.kind !== "pods") return [peer];
    const { namespaces, pods } = sorted(objects);
    const selected = pods.filter(isCounted).filter((pod) => {
      const namespace = namespaces.get(pod.namespace);
      if (namespace === undefined) return false;
      return selects(peer.namespaces, namespace.labels) && selects(peer.pods, pod.labels);
    });
    const added = selected.flatMap((pod) => pod.ips);
    return [peer, ...added.map((ip) => ({ kind: "network", cidr: single(ip), except: [] }) as const)];
  });

const hostPodsAsSubjects: Fault = (world) => {
  const hidden = world.objects.filter(isPod).filter(({ hostNetwork }) => hostNetwork);
  const visible = new Map(hidden.map((pod) => [pod, { ...pod, hostNetwork: false }]));
  const objects = world.objects.map((object) => (isPod(object) ? (visible.get(object) ?? object) : object));
  const meaning = meaningOf(objects, { networkPolicies: world.networkPolicies });
  const there = (end: End): End =>
    end.pod === null
      ? { ip: end.ip, pod: [...visible.values()].find((pod) => pod.ips.includes(end.ip)) ?? null }
      : end;
  return {
    opinion: (connection) =>
      meaning.opinion({ ...connection, from: there(connection.from), to: there(connection.to) }),
  };
};

/** The egress side alone, where it allows by a rule. */
const ingressSkipped: Fault = (world) => {
  const whole = meaningOf(world.objects, { networkPolicies: world.networkPolicies });
  return {
    opinion: (connection: Connection) => {
      const meant = whole.opinion(connection);
      const allowed = meant?.rules.some((rule) => / egress .*allow$/.test(rule)) ?? false;
      return meant !== null && allowed ? { ...meant, verdict: "allow" } : meant;
    },
  };
};

const networkPolicyOnly = (change: (policy: Policy) => Policy["unmatched"]): Fault =>
  ofPolicies((policy) =>
    policy.tier.name === "namespaced" ? { ...policy, unmatched: change(policy) } : policy,
  );

export const faults: Readonly<Record<string, Fault>> = {
  "an admin allow that passes": ofRules((rule, _, { tier }) =>
    tier.name === "admin" && rule.action === "allow" ? { ...rule, action: "pass" } : rule,
  ),
  "a pass that allows": ofRules((rule) => (rule.action === "pass" ? { ...rule, action: "allow" } : rule)),
  "a number of any protocol": ofPorts((port) =>
    port.kind === "port" || port.kind === "range"
      ? protocols.map((protocol) => ({ ...port, protocol }))
      : [port],
  ),
  "a name of any protocol": ofObjects((object) =>
    isPod(object)
      ? {
          ...object,
          ports: object.ports.flatMap((port) => protocols.map((protocol) => ({ ...port, protocol }))),
        }
      : object,
  ),
  "one number a name": ofObjects((object) =>
    isPod(object)
      ? {
          ...object,
          ports: object.ports.filter(
            ({ name }, at) => object.ports.findIndex((port) => port.name === name) === at,
          ),
        }
      : object,
  ),
  "a range without an end": ofPorts((port) => [port.kind === "range" ? { ...port, end: 65535 } : port]),
  "pod selectors of peers ignored": ofPeers((peer) => [
    peer.kind === "pods" ? { ...peer, pods: everything } : peer,
  ]),
  "pod selectors of subjects ignored": ofPolicies((policy) => ({
    ...policy,
    subject: policy.subject.map((group) => ({ ...group, pods: everything })),
  })),
  "matchExpressions ignored": ofSpecs((spec) => without(spec, "matchExpressions")),
  "matchLabels ignored": ofSpecs((spec) => without(spec, "matchLabels")),
  "host-network pods as peers": withAddressesOf(({ hostNetwork }) => hostNetwork),
  "host-network pods as subjects": hostPodsAsSubjects,
  "completed pods as peers": withAddressesOf(({ completed }) => completed),
  "node selectors ignored": ofPeers((peer) => [
    peer.kind === "nodes" ? { ...peer, nodes: everything } : peer,
  ]),
  "one address a node": ofObjects((object) =>
    isNode(object)
      ? {
          ...object,
          ips: object.ips.filter(
            (ip, at) => object.ips.findIndex((one) => familyOf(one) === familyOf(ip)) === at,
          ),
        }
      : object,
  ),
  "networks without nodes": ofPeers((peer, { objects }) => [
    peer.kind === "network"
      ? { ...peer, except: sorted(objects).nodes.flatMap((node) => node.ips.map(single)) }
      : peer,
  ]),
  "networks without pods": ofPeers((peer, { objects }) => [
    peer.kind === "network"
      ? { ...peer, except: sorted(objects).pods.flatMap((pod) => pod.ips.map(single)) }
      : peer,
  ]),
  "an egress allow that skips the destination's ingress": ingressSkipped,
  "a policy that isolates where it has no rules": ofPolicies((policy) => ({
    ...policy,
    unmatched: {
      ingress: policy.rules.ingress.length === 0 ? "deny" : policy.unmatched.ingress,
      egress: policy.rules.egress.length === 0 ? "deny" : policy.unmatched.egress,
    },
  })),
  "a NetworkPolicy's denial that falls to the baseline": networkPolicyOnly(() => ({
    ingress: "next",
    egress: "next",
  })),
  "a NetworkPolicy that isolates both directions": networkPolicyOnly(() => ({
    ingress: "deny",
    egress: "deny",
  })),
  "NetworkPolicies before the admin tier": ofTier("namespaced", 0),
  "NetworkPolicies behind the baseline": ofTier("namespaced", 4),
  "rules with unknown parts left out": ofSpecs(withoutUnknown),
  "the last of two policies first": ofPolicies((policy) => ({ ...policy, priority: -policy.priority })),
};
