// What one entry of a list of subjects or peers selects, and whether a part of it cannot be expressed. An entry that is
// open selects at least its known members: a rule that denies must then deny more, a rule that allows must not allow more.

import type { HostNameGroup, NodeGroup, Peer, PodGroup, SameNamespaces } from "../../policy/ir.ts";

export type Network = Extract<Peer, { kind: "network" }>;

export interface Members {
  readonly pods: readonly PodGroup[];
  readonly networks: readonly Network[];
  readonly nodes: readonly NodeGroup[];
  readonly same: readonly SameNamespaces[];
  readonly names: readonly HostNameGroup[];
  readonly isOpen: boolean;
}

export const noMembers: Members = { pods: [], networks: [], nodes: [], same: [], names: [], isOpen: false };
export const openMembers: Members = { ...noMembers, isOpen: true };

export function union(parts: readonly Members[]): Members {
  return {
    pods: parts.flatMap(({ pods }) => pods),
    networks: parts.flatMap(({ networks }) => networks),
    nodes: parts.flatMap(({ nodes }) => nodes),
    same: parts.flatMap(({ same }) => same),
    names: parts.flatMap(({ names }) => names),
    isOpen: parts.some(({ isOpen }) => isOpen),
  };
}

export function peersOf({ pods, networks, nodes, same, names }: Members): readonly Peer[] {
  return [...pods, ...same, ...nodes, ...names, ...networks];
}
