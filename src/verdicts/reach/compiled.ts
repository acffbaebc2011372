// A rule in the words of the vocabulary: what a kind of ends must have to be in its subject or among its peers. Texts are made
// once for each rule, since every kind is held against every rule.

import type { GroupKey } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import type { Kind } from "./kinds.ts";
import type { OrderedRule } from "./order.ts";
import { networkKey, podsAnywhere, sharedKey, subjectOf } from "./vocabulary.ts";

export interface CompiledRule {
  readonly entry: OrderedRule;
  /** The bit of the entry's number. */
  readonly bit: bigint;
  /** null: the policy's subject. */
  readonly subject: readonly GroupKey[] | null;
  readonly groups: readonly GroupKey[];
  readonly networks: readonly string[];
  readonly nodes: readonly string[];
  /** Pods whose namespaces share the values of the keys with the subject's. */
  readonly shared: readonly { readonly keys: string; readonly pods: GroupKey }[];
  readonly everything: boolean;
}

export function compiled(entry: OrderedRule): CompiledRule {
  const { peers, subject } = entry.rule;
  return {
    entry,
    bit: 1n << BigInt(entry.number),
    subject: subject === null ? null : subjectOf(entry.policy, entry.rule).map(groupKey),
    groups: peers.filter((peer) => peer.kind === "pods").map(groupKey),
    networks: peers.filter((peer) => peer.kind === "network").map(networkKey),
    nodes: peers.filter((peer) => peer.kind === "nodes").map(({ nodes }) => nodes.text),
    shared: peers
      .filter((peer) => peer.kind === "sameNamespaces")
      .map(({ keys, pods }) => ({ keys: sharedKey(keys), pods: groupKey(podsAnywhere(pods)) })),
    everything: peers.some(({ kind }) => kind === "everything"),
  };
}

/** Whether the rule names the end otherwise than by a network. */
export function namesOtherwise({ everything, groups, nodes }: CompiledRule, kind: Kind): boolean {
  return (
    everything || groups.some((key) => kind.groups.has(key)) || nodes.some((text) => kind.nodes.has(text))
  );
}

export function namesByNetwork({ networks }: CompiledRule, kind: Kind): boolean {
  return networks.some((key) => kind.networks.has(key));
}

/** By which keys the rule names the end where the subject has the same values. */
export function sharesOf({ shared }: CompiledRule, kind: Kind): readonly string[] {
  return shared
    .filter(({ keys, pods }) => kind.groups.has(pods) && kind.shares.has(keys))
    .map(({ keys }) => keys);
}
