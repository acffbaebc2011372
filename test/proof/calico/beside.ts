// Worlds in which OVN-Kubernetes has the NetworkPolicies: the controller reads Calico's kinds and ClusterNetworkPolicies alone, and its
// rows stand around the others'. Explain and the judge of the manifests read all of them. Rows may be stricter than they, never wider.

import fc from "fast-check";
import { everyKind, installed } from "../../../src/dialects.ts";
import type { WorldObject } from "../../../src/model/object.ts";
import { gnp, knp } from "../../oracle/calico/build.ts";
import type { Manifest, NetworkPolicyRule, NetworkPolicySpec } from "../../oracle/calico/manifests.ts";
import type { ClusterOptions } from "../cluster.ts";
import type { LabelTable, NetworkPeer, NetworkPolicy, NetworkRule } from "../network-policies.ts";
import { spaces } from "../pods.ts";
import { networkPolicies, portNumbers } from "../rules.ts";
import type { ProofWorld } from "../worlds.ts";
import { wordBeside } from "./beside-words.ts";
import type { CalicoWorld, WorldOptions } from "./worlds.ts";
import { calicoCluster, calicoInstalled, calicoWorld, calicoWorlds } from "./worlds.ts";

export const installedBeside = installed({
  ...everyKind,
  ...{ "policy-model": "calico", "enable-network-policy": "false" },
});

/** Of OVN's tiers two are left, which is one way on. */
export const roomBeside = 1;

export const calicoBeside = {
  ...calicoCluster,
  ...{ installed: installedBeside.dialects, tierLayout: installedBeside.tierLayout },
  judging: calicoInstalled.dialects,
} satisfies ClusterOptions;

/** Kubernetes' own. */
export function isNetworkPolicy(one: WorldObject | Manifest): boolean {
  return one.kind === "NetworkPolicy" && "apiVersion" in one && one.apiVersion === "networking.k8s.io/v1";
}

/**
 * Policies at the edges of the others' place in tier `default`, a deny of their order and an allow behind their isolation; and a
 * NetworkPolicy that lets everything in, which the deny comes before.
 */
interface Edges {
  readonly open: string;
  readonly behind: number;
  readonly denied: number;
  /** Whether no policy of another tier decides before them. */
  readonly areAlone: boolean;
}

export const edges: fc.Arbitrary<Edges> = fc.record({
  open: fc.constantFrom(...spaces),
  behind: fc.constantFrom(1000.5, 1001, 20_000),
  denied: fc.constantFrom(...portNumbers),
  areAlone: fc.boolean(),
});

export function withEdges(
  manifests: readonly Manifest[],
  { open, behind, denied, areAlone }: Edges,
): readonly Manifest[] {
  const isEarlier = ({ kind, ...one }: Manifest) =>
    (kind === "GlobalNetworkPolicy" || kind === "NetworkPolicy") && "spec" in one && "tier" in one.spec;
  const all = { types: ["Ingress", "Egress"] } as const;
  const deny = { action: "Deny", protocol: "TCP", destination: { ports: [denied] } } as const;
  const allow = { action: "Allow" } as const;
  return [
    ...manifests.filter((one) => !areAlone || !isEarlier(one)),
    gnp("at", { order: 1000, ...all, ingress: [deny], egress: [deny] }),
    gnp("behind", { order: behind, ...all, ingress: [allow], egress: [allow] }),
    knp("open", { podSelector: {}, policyTypes: ["Ingress"], ingress: [{}] }, open),
  ];
}

/** With NetworkPolicies that the other program's rows can say, in place of those that were drawn. */
export function worldsBeside(options: WorldOptions): fc.Arbitrary<ProofWorld> {
  const neighbours = networkPolicies(spaces).filter((list) => list.length > 0);
  return fc.tuple(calicoWorlds(options), neighbours, edges).map(([{ manifests, salt }, others, around]) => {
    const own = withEdges(manifests, around).filter((one) => !isNetworkPolicy(one));
    return besideOf(calicoWorld([...own, ...others.map(manifestOf)], salt), own, others);
  });
}

function besideOf(all: CalicoWorld, own: readonly Manifest[], others: readonly NetworkPolicy[]): ProofWorld {
  const { objects } = calicoWorld(own, all.salt);
  return {
    ...all,
    objects,
    networkPolicies: others,
    told: all.objects,
    mayBeStricter: { word: wordBeside(own) },
  };
}

function manifestOf({ namespace, name, pods, rules: { ingress, egress } }: NetworkPolicy): Manifest {
  const spec: NetworkPolicySpec = {
    podSelector: { matchLabels: pods },
    policyTypes: [
      ...(ingress === undefined ? [] : (["Ingress"] as const)),
      ...(egress === undefined ? [] : (["Egress"] as const)),
    ],
    ...(ingress === undefined ? {} : { ingress: ingress.map((rule) => ruleOf("from", rule)) }),
    ...(egress === undefined ? {} : { egress: egress.map((rule) => ruleOf("to", rule)) }),
  };
  return knp(name, spec, namespace);
}

const protocolTexts = { tcp: "TCP", udp: "UDP", sctp: "SCTP" } as const;

function ruleOf(side: "from" | "to", { peers, ports }: NetworkRule): NetworkPolicyRule {
  const given = ports?.map(({ protocol, port }) => ({ protocol: protocolTexts[protocol], port }));
  return {
    ...(peers === null ? {} : { [side]: peers.map(peerOf) }),
    ...(given === undefined ? {} : { ports: given }),
  };
}

function peerOf(peer: NetworkPeer) {
  if ("cidr" in peer) return { ipBlock: { cidr: peer.cidr } };
  const selector = (matchLabels: LabelTable) => ({ matchLabels });
  return { namespaceSelector: selector(peer.namespaces), podSelector: selector(peer.pods) };
}
