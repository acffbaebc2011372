// Which ends the networks of rules are about, as a network plugin has it: pods and nodes by their addresses too, or not. A rule of
// which it is open whether its networks are about pods is two: one about all other addresses, and an open one about the pods.

import { aloneIn, contains } from "../model/cidr.ts";
import type { NodeFact } from "../model/facts.ts";
import { addressesOfNode } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import type { Peer, Policy, PodGroup, Rule } from "../policy/ir.ts";
import { everyPod } from "../policy/ir.ts";
import type { Cni } from "./answers.ts";
import { sourceText } from "./answers.ts";
import type { OpenAnswer, OpenedPolicy } from "./open-answer.ts";

type Network = Extract<Peer, { kind: "network" }>;

/** The policy as far as it is known what its networks are about: the same object where they are about every end. */
export function withNetworksOf(policy: Policy, cni: Cni, nodes: readonly NodeFact[]): Policy {
  const [pods, taken] = [cni.podsInNetworks.matches === "no", cni.nodesInNetworks.matches === "no"];
  if (!pods && !taken) return policy;
  const addresses = taken ? nodes.flatMap(addressesOfNode) : [];
  return withRules(policy, (rule) => [
    withPeers(rule, (network) => withoutEnds(network, pods ? everyPod : [], addresses)),
  ]);
}

/** The policy with its open rules; the same object, and none, where nothing is open. */
export function splitByPods(policy: Policy, cni: Cni, isDoubtful: (rule: Rule) => boolean): OpenedPolicy {
  const { podsInNetworks } = cni;
  if (podsInNetworks.matches !== "open") return { policy, open: [] };
  const open: OpenAnswer[] = [];
  const text = sourceText(cni, podsInNetworks);
  const split = withRules(policy, (rule) => {
    const networks = rule.peers.filter(isNetwork);
    if (networks.length === 0 || isDoubtful(rule)) return [rule];
    const ofPods = { ...rule, peers: networks.flatMap(podsWithin) };
    open.push({ policy, rule: ofPods, actions: [rule.action], text });
    return [withPeers(rule, (network) => withoutEnds(network, everyPod, [])), ofPods];
  });
  return { policy: split, open };
}

/** The same object where no rule changes. */
function withRules(policy: Policy, change: (rule: Rule) => readonly Rule[]): Policy {
  const { ingress, egress } = policy.rules;
  if (![...ingress, ...egress].some(({ peers }) => peers.some(isNetwork))) return policy;
  return { ...policy, rules: { ingress: ingress.flatMap(change), egress: egress.flatMap(change) } };
}

function withPeers(rule: Rule, change: (network: Network) => Peer): Rule {
  if (!rule.peers.some(isNetwork)) return rule;
  return { ...rule, peers: rule.peers.map((peer) => (isNetwork(peer) ? change(peer) : peer)) };
}

function isNetwork(peer: Peer): peer is Network {
  return peer.kind === "network";
}

function withoutEnds(
  { cidr, except }: Network,
  pods: readonly PodGroup[],
  addresses: readonly IpAddress[],
): Peer {
  const taken = addresses.filter((ip) => contains(cidr, ip)).map(aloneIn);
  return { kind: "others", networks: [cidr], except: [...new Set([...except, ...taken])].sort(), pods };
}

function podsWithin({ cidr, except }: Network): readonly Peer[] {
  return everyPod.map((pods) => ({ kind: "narrowed", networks: [cidr], except, pods }));
}
