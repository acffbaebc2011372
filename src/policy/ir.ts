// The intermediate representation: what a policy of any dialect means, in neutral words. Dialects compile into it,
// backends render from it, evaluate.ts says what it means. Nothing here names an API or a database.

import type { Cidr } from "../model/ip.ts";
import type { Protocol } from "../model/facts.ts";
import type { ObjectKey } from "../model/object.ts";
import { objectKey } from "../model/object.ts";
import type { Selector } from "../model/selector.ts";

export type Action = "allow" | "deny" | "pass" | "reject";
export type Direction = "ingress" | "egress";
export const directions: readonly Direction[] = ["ingress", "egress"];

/** Syslog severities that a logged verdict can have (OVN ACL.severity). */
export type LogSeverity = "alert" | "warning" | "notice" | "info" | "debug";

/** A tier groups policies that are evaluated before every policy of a higher order. */
export interface Tier {
  readonly name: "admin" | "namespaced" | "baseline";
  readonly order: number;
}

export const tiers = {
  admin: { name: "admin", order: 1 },
  namespaced: { name: "namespaced", order: 2 },
  baseline: { name: "baseline", order: 3 },
} as const satisfies Record<Tier["name"], Tier>;

/** Pods of the namespaces that `namespaces` selects which `pods` selects too. */
export interface PodGroup {
  readonly kind: "pods";
  readonly namespaces: Selector;
  readonly pods: Selector;
}

export interface NodeGroup {
  readonly kind: "nodes";
  readonly nodes: Selector;
}

/** A set of workloads or nodes, matched once however often it is used. */
export type Group = PodGroup | NodeGroup;

/** Equal for groups of equal selectors. */
export type GroupKey = string & { readonly __brand: "GroupKey" };

export type Peer =
  | Group
  | { readonly kind: "network"; readonly cidr: Cidr; readonly except: readonly Cidr[] }
  /** Every address of every family: what a deny becomes when it must fail closed. */
  | { readonly kind: "everything" };

/** Always a destination port, in ingress rules too. */
export type PortMatch =
  | { readonly kind: "port"; readonly protocol: Protocol; readonly port: number }
  /** start <= port <= end. */
  | { readonly kind: "range"; readonly protocol: Protocol; readonly start: number; readonly end: number }
  /** Resolved for each destination pod from its container ports, which give number and protocol. */
  | { readonly kind: "named"; readonly name: string };

export interface Rule {
  /** Place in the list of its direction, from 0. */
  readonly index: number;
  readonly name: string;
  readonly action: Action;
  /** Set when the rule applies to other pods than the policy's subject does. */
  readonly subject: PodGroup | null;
  /** The rule matches when any peer does; no peers match nothing. */
  readonly peers: readonly Peer[];
  /** null: any protocol and port; otherwise any of them. */
  readonly ports: readonly PortMatch[] | null;
}

/** A policy goes by the key of the object it was compiled from. */
export type PolicyKey = ObjectKey;

export interface PolicyRef {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

/** Severity of a logged verdict by action; null: not logged. */
export type Logging = Readonly<Record<Action, LogSeverity | null>>;

/** What a policy says of itself and of all its rules at once. */
export interface PolicyHead {
  readonly key: PolicyKey;
  readonly ref: PolicyRef;
  /** Short upper-case name of the kind, as logs and dashboards print it: ANP, BANP, NP. */
  readonly shortKind: string;
  readonly tier: Tier;
  /** Inside the tier; the lower number is evaluated first. */
  readonly priority: number;
  readonly logging: Logging;
}

export interface Policy extends PolicyHead {
  readonly subject: PodGroup;
  readonly rules: Readonly<Record<Direction, readonly Rule[]>>;
  /** What happens to a subject's traffic that no rule of the direction matches. */
  readonly unmatched: Readonly<Record<Direction, "next" | "deny">>;
}

export function policyKey({ kind, namespace, name }: PolicyRef): PolicyKey {
  return objectKey(kind, namespace, name);
}

export function groupKey(group: Group): GroupKey {
  const text =
    group.kind === "nodes" ? `nodes ${group.nodes.text}` : `pods ${group.namespaces.text} ${group.pods.text}`;
  return text as GroupKey;
}

export function isGroup(peer: Peer): peer is Group {
  return peer.kind === "pods" || peer.kind === "nodes";
}

/**
 * Every group the policy needs matched; a group may come more than once. Left out are those of parts that the other
 * policy has in the same places as the same objects: what is left is what the one needs beyond the other.
 */
export function groupsOf(policy: Policy, other: Policy | null = null): readonly Group[] {
  const groups: Group[] = policy.subject === other?.subject ? [] : [policy.subject];
  for (const direction of directions) {
    for (const [place, rule] of policy.rules[direction].entries()) {
      const same = other?.rules[direction][place];
      if (rule === same) continue;
      if (rule.subject !== null && rule.subject !== same?.subject) groups.push(rule.subject);
      if (rule.peers !== same?.peers) groups.push(...rule.peers.filter(isGroup));
    }
  }
  return groups;
}
