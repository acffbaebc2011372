// Tier 2, which belongs to somebody else: NetworkPolicies as data and what they mean. The rows that OVN-Kubernetes has for
// them are made from the same data by other code (network-policy-rows.ts).

import type { Protocol } from "../../src/model/facts.ts";
import { parseCidr } from "../../src/model/ip.ts";
import type { Direction, Peer, Policy, Rule } from "../../src/policy/ir.ts";
import { policyKey, tiers } from "../../src/policy/ir.ts";
import { podGroup, withLabels } from "../support/facts.ts";

export type LabelTable = Readonly<Record<string, string>>;

export type NetworkPeer =
  { readonly namespaces: LabelTable; readonly pods: LabelTable } | { readonly cidr: string };

export interface NetworkRule {
  /** null: every address. */
  readonly peers: readonly NetworkPeer[] | null;
  /** null: every port of every protocol. */
  readonly ports: readonly { readonly protocol: Protocol; readonly port: number }[] | null;
}

export interface NetworkPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly pods: LabelTable;
  /** By direction that the policy isolates; one that is not there is none of its business. */
  readonly rules: Readonly<Partial<Record<Direction, readonly NetworkRule[]>>>;
}

/** The label that the API server gives every namespace. */
export const nameLabel = "kubernetes.io/metadata.name";

/** What the policy means: its pods are isolated in its directions, and each rule lets something pass. */
export function meaningOfNetworkPolicy({ namespace, name, pods, rules }: NetworkPolicy): Policy {
  const ref = { group: "networking.k8s.io", kind: "NetworkPolicy", namespace, name };
  const rulesOf = (direction: Direction) => (rules[direction] ?? []).map(meaningOfRule);
  return {
    key: policyKey(ref),
    ref,
    ownerType: "NetworkPolicy",
    rowForm: { sets: "networkPolicy" },
    shortKind: "NP",
    tier: tiers.namespaced,
    priority: 0,
    subject: [podGroup(withLabels({ [nameLabel]: namespace }), withLabels(pods))],
    rules: { ingress: rulesOf("ingress"), egress: rulesOf("egress") },
    unmatched: {
      ingress: rules.ingress === undefined ? "next" : "deny",
      egress: rules.egress === undefined ? "next" : "deny",
    },
    logging: { allow: null, deny: null, pass: null, reject: null },
  };
}

function meaningOfRule({ peers, ports }: NetworkRule, index: number): Rule {
  return {
    index,
    share: null,
    logging: null,
    name: "",
    action: "allow",
    subject: null,
    peers: peers === null ? [{ kind: "everything" }] : peers.map(meaningOfPeer),
    ports: ports?.map((port) => ({ kind: "port", ...port })) ?? null,
  };
}

function meaningOfPeer(peer: NetworkPeer): Peer {
  if (!("cidr" in peer)) return podGroup(withLabels(peer.namespaces), withLabels(peer.pods));
  const cidr = parseCidr(peer.cidr);
  if (cidr === null) throw new Error(`${peer.cidr} is not a network`);
  return { kind: "network", cidr, except: [] };
}
