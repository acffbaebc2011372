// Policies as a network plugin reads them (answers.ts): what it does whatever they say, as a policy before all others; which ends
// the networks of rules are about; and what it leaves open, as rules of which it is open whether they match. Pure. Invariant: a
// verdict is one that the plugin may give exactly when some choice of the open rules of `possible` gives it; where none of them
// can match, it is that of `policies`.

import type { NodeFact } from "../model/facts.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import { isOwnNode } from "../policy/own-node.ts";
import type { Cni } from "./answers.ts";
import { doubting } from "./doubting.ts";
import { splitByPods, withNetworksOf } from "./networks.ts";
import type { OpenAnswer } from "./open-answer.ts";
import { splitByRanges } from "./port-ranges.ts";
import { pluginPolicies } from "./plugin-policy.ts";

export interface PluginReading {
  /** What the judge is asked about, in place of the policies in force. */
  readonly policies: readonly Policy[];
  /** The same with the open rules, and policies that have nothing but open rules. */
  readonly possible: readonly Policy[];
  readonly open: readonly OpenAnswer[];
}

export interface Given {
  /** As the engine has them for a cluster of OVN. */
  readonly policies: readonly Policy[];
  readonly nodes: Iterable<NodeFact>;
  /** Whether it is open anyway whether the rule matches, whatever its peers. */
  readonly isDoubtful: (rule: Rule) => boolean;
}

export function readBy(cni: Cni, { policies: all, nodes: some, isDoubtful }: Given): PluginReading {
  const nodes = [...some];
  const written = all.filter(({ key }) => !isOwnNode(key));
  const read = written.map((policy) => withNetworksOf(policy, cni, nodes));
  const [own, split, doubts] = [
    pluginPolicies(cni, nodes),
    read.map((policy) => splitByRanges(splitByPods(policy, cni, isDoubtful), cni)),
    written.flatMap((policy) => doubting(policy, cni)),
  ];
  return {
    policies: [...own.map(({ sure }) => sure), ...read],
    possible: [...own.map(({ possible }) => possible), ...[...split, ...doubts].map(({ policy }) => policy)],
    open: [
      ...own.flatMap(({ open }) => open),
      ...split.flatMap(({ open }) => open),
      ...doubts.flatMap(({ open }) => open),
    ],
  };
}
