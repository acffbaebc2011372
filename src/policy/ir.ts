// The intermediate representation: what a policy of any dialect means, in neutral words. Dialects compile into it,
// backends render from it, evaluate.ts says what it means. Nothing here names an API or a database.

import type { Cidr, IpFamily } from "../model/ip.ts";
import type { Protocol } from "../model/facts.ts";
import type { ObjectKey, ObjectName } from "../model/object.ts";
import { objectKey } from "../model/object.ts";
import type { Selector } from "../model/selector.ts";

export type Action = "allow" | "deny" | "pass" | "reject";
export type Direction = "ingress" | "egress";
export const directions: readonly Direction[] = ["ingress", "egress"];

/** Syslog severities that a logged verdict can have (OVN ACL.severity). */
export type LogSeverity = "alert" | "warning" | "notice" | "info" | "debug";

/**
 * An evaluation stage: its policies are evaluated before every policy of a tier of a higher order, and `pass` leaves it.
 * A dialect may bring tiers of its own, before, between and behind the three that every cluster has.
 */
export interface Tier {
  readonly name: string;
  readonly order: number;
}

export const tiers = {
  admin: { name: "admin", order: 1 },
  namespaced: { name: "namespaced", order: 2 },
  baseline: { name: "baseline", order: 3 },
} as const satisfies Record<string, Tier>;

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

/** The pods of any of the groups; none of them selects nothing. */
export type Subject = readonly PodGroup[];

/**
 * Pods of the namespaces that have the same values of these labels as the namespace of the pod that the rule applies to;
 * without keys, of that namespace itself. For a pod whose namespace lacks one of the keys the peer matches nothing.
 */
export interface SameNamespaces {
  readonly kind: "sameNamespaces";
  readonly keys: readonly string[];
  readonly pods: Selector;
}

export type Peer =
  | Group
  | SameNamespaces
  | { readonly kind: "network"; readonly cidr: Cidr; readonly except: readonly Cidr[] }
  /** Every address of every family: what a deny becomes when it must fail closed. */
  | { readonly kind: "everything" };

/** start <= port <= end. */
export interface PortRange {
  readonly start: number;
  readonly end: number;
}

/** Ports are the destination's, in ingress rules too, but for `source`, which the connection's own end must lie in. */
export type PortMatch =
  | {
      readonly kind: "port";
      readonly protocol: Protocol;
      readonly port: number;
      readonly source?: PortRange;
    }
  | {
      readonly kind: "range";
      readonly protocol: Protocol;
      readonly start: number;
      readonly end: number;
      readonly source?: PortRange;
    }
  /**
   * Resolved for each destination pod from its container ports, which give the number and, where the rule names none, the
   * protocol.
   */
  | {
      readonly kind: "named";
      readonly name: string;
      readonly protocol?: Protocol;
      readonly source?: PortRange;
    }
  /** All of an IP protocol, by its IANA number, 0..255. */
  | { readonly kind: "protocol"; readonly number: number }
  /** ICMP for IPv4, for IPv6, or, where the family is null, either by the same numbers; null: any type, any code. */
  | {
      readonly kind: "icmp";
      readonly family: IpFamily | null;
      readonly type: number | null;
      readonly code: number | null;
    };

/** How the verdicts of one rule are logged, whatever the policy says. */
export interface RuleLogging {
  /** null: not logged. */
  readonly severity: LogSeverity | null;
  /** Printed with each line; letters, digits, `-`, `_` and `.` alone, as a label's value. */
  readonly label: string | null;
}

export interface Rule {
  /** Place in the list of its direction, from 0. */
  readonly index: number;
  readonly name: string;
  readonly action: Action;
  /**
   * Set where one rule was made into several, one for each value of what its peers have in common with the subject: the
   * value's canonical text. Never what a dialect compiles (partition.ts). It holds values of labels, which are text of
   * users: a backend must hash it before it is part of a name.
   */
  readonly share: string | null;
  /** Set when the rule applies to other pods than the policy's subject does. */
  readonly subject: Subject | null;
  /** The rule matches when any peer does; no peers match nothing. */
  readonly peers: readonly Peer[];
  /** null: any protocol and port; otherwise any of them. */
  readonly ports: readonly PortMatch[] | null;
  /** null: as the policy says. */
  readonly logging: RuleLogging | null;
}

/** A policy goes by the key of the object it was compiled from. */
export type PolicyKey = ObjectKey;

/** The object that a policy was compiled from. */
export type PolicyRef = ObjectName;

/** Severity of a logged verdict by action; null: not logged. */
export type Logging = Readonly<Record<Action, LogSeverity | null>>;

/** What a policy says of itself and of all its rules at once. */
export interface PolicyHead {
  readonly key: PolicyKey;
  readonly ref: PolicyRef;
  /** By what name the kind owns what a backend writes: OVN's `k8s.ovn.org/owner-type`. Another one for each kind. */
  readonly ownerType: string;
  /** Short upper-case name of the kind, as logs and dashboards print it: ANP, BANP, NP. */
  readonly shortKind: string;
  readonly tier: Tier;
  /** Inside the tier; the lower number is evaluated first. */
  readonly priority: number;
  readonly logging: Logging;
}

export interface Policy extends PolicyHead {
  readonly subject: Subject;
  readonly rules: Readonly<Record<Direction, readonly Rule[]>>;
  /** What happens to a subject's traffic that no rule of the direction matches. */
  readonly unmatched: Readonly<Record<Direction, "next" | "deny">>;
}

export function policyKey(ref: PolicyRef): PolicyKey {
  return objectKey(ref, ref.namespace, ref.name);
}

export function groupKey(group: Group): GroupKey {
  const text =
    group.kind === "nodes" ? `nodes ${group.nodes.text}` : `pods ${group.namespaces.text} ${group.pods.text}`;
  return text as GroupKey;
}

export function isGroup(peer: Peer): peer is Group {
  return peer.kind === "pods" || peer.kind === "nodes";
}

/** Tells the rule from every other rule of its direction, wherever it stands in the list. */
export function ruleKey({ index, share }: Pick<Rule, "index" | "share">): string {
  return share === null ? `${index}` : `${index} ${share}`;
}

/**
 * Every group the policy needs matched; a group may come more than once. Left out are those of parts that the other
 * policy has as the same objects, in the subject or in the rule of the same key: what is left is what the one needs beyond
 * the other, and left out of the other's list is the same.
 */
export function groupsOf(policy: Policy, other: Policy | null = null): readonly Group[] {
  const groups: Group[] = policy.subject === other?.subject ? [] : [...policy.subject];
  for (const direction of directions) {
    const others = new Map(other?.rules[direction].map((rule) => [ruleKey(rule), rule]));
    for (const rule of policy.rules[direction]) {
      const same = others.get(ruleKey(rule));
      if (rule === same) continue;
      if (rule.subject !== null && rule.subject !== same?.subject) groups.push(...rule.subject);
      if (rule.peers !== same?.peers) groups.push(...rule.peers.filter(isGroup));
    }
  }
  return groups;
}
