// The intermediate representation: what a policy of any dialect means, in neutral terms. Dialects compile to it,
// backends render it, evaluate.ts defines its meaning. Nothing here names an API or a database.

import { unreachable } from "../lib/invariant.ts";
import type { Cidr, IpFamily } from "../model/ip.ts";
import type { Protocol } from "../model/facts.ts";
import type { LogSeverity } from "../model/log-severity.ts";
import type { ObjectKey, ObjectName } from "../model/object.ts";
import { objectKey } from "../model/object.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import type { RowForm } from "./contracts/row-form.ts";
import type { EndPorts, SourceRange } from "./ports/ports.ts";

export type { LogSeverity } from "../model/log-severity.ts";
export type { EndPorts, PortList, PortRange, SourceRange } from "./ports/ports.ts";

export type Action = "allow" | "deny" | "pass" | "reject";
export type Direction = "ingress" | "egress";
export const directions: readonly Direction[] = ["ingress", "egress"];

/**
 * An evaluation stage: its policies are evaluated before every policy of a tier of a higher order, and of one of the same order
 * whose name comes later; `pass` leaves it. A dialect may bring tiers of its own, before, between and behind the three that
 * every cluster has.
 */
export interface Tier {
  readonly name: string;
  /** May be infinite. */
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

/** The addresses that DNS answered for the host names selected. One that was never answered is not among them. A peer of egress only. */
export interface HostNameGroup {
  readonly kind: "hostNames";
  /** Of their names, as `hostNamesLike` makes it. */
  readonly names: Selector;
}

/** The pods on one node. A subject only: no API has such a peer. */
export interface PodsOfNode {
  readonly kind: "podsOfNode";
  readonly node: string;
}

/** What a peer selects. */
export type PeerGroup = PodGroup | NodeGroup | HostNameGroup;

/** A set of workloads, nodes or host names, matched only once however many policies use it. */
export type Group = PeerGroup | PodsOfNode;

/** What a subject selects. */
export type SubjectGroup = PodGroup | PodsOfNode;

/** Equal for groups of equal selectors. */
export type GroupKey = string & { readonly __brand: "GroupKey" };

/** The pods of all the groups; an empty list selects nothing. */
export type Subject = readonly SubjectGroup[];

/**
 * Pods of the namespaces that have the same values of these labels as the namespace of the pod that the rule applies
 * to; without keys, pods of that same namespace. Where the pod's namespace lacks one of the keys, the peer matches
 * nothing.
 */
export interface SameNamespaces {
  readonly kind: "sameNamespaces";
  readonly keys: readonly string[];
  readonly pods: Selector;
}

/** Addresses that lie in any of `networks` and in none of `except`. */
export interface Addresses {
  readonly networks: readonly Cidr[];
  readonly except: readonly Cidr[];
}

/** Of the pods of a group, by those of their addresses that are among these. */
export interface NarrowedPods extends Addresses {
  readonly kind: "narrowed";
  readonly pods: PodGroup;
}

/** Those of the addresses that no pod of these groups has: pods' that none of them selects, and addresses outside. */
export interface OtherAddresses extends Addresses {
  readonly kind: "others";
  readonly pods: readonly PodGroup[];
}

export type Peer =
  | PeerGroup
  | SameNamespaces
  | NarrowedPods
  | OtherAddresses
  | { readonly kind: "network"; readonly cidr: Cidr; readonly except: readonly Cidr[] }
  /** Every address of every family: the peer of a deny that must fail closed. */
  | { readonly kind: "everything" };

/** Ports are the destination's, in ingress rules too; `source` restricts the port of the connection's source. */
export type PortMatch =
  | {
      readonly kind: "port";
      readonly protocol: Protocol;
      readonly port: number;
      readonly source?: SourceRange;
    }
  | {
      readonly kind: "range";
      readonly protocol: Protocol;
      readonly start: number;
      readonly end: number;
      readonly source?: SourceRange;
    }
  /**
   * Resolved for each destination pod from its container ports, which give the number and, where the rule names none, the
   * protocol.
   */
  | {
      readonly kind: "named";
      readonly name: string;
      readonly protocol?: Protocol;
      readonly source?: SourceRange;
    }
  /** Ports of either end, by what the pods there declare for the protocol; null: any. An address of no pod declares nothing. */
  | {
      readonly kind: "declared";
      readonly protocol: Protocol;
      readonly from: EndPorts | null;
      readonly to: EndPorts | null;
    }
  /** All of an IP protocol, by its IANA number, 0..255. */
  | { readonly kind: "protocol"; readonly number: number }
  /** All of several IP protocols, by their IANA numbers, 0..255, ascending. */
  | { readonly kind: "protocols"; readonly numbers: readonly number[] }
  /** ICMP for IPv4, for IPv6, or, where the family is null, either by the same numbers; null: any type, any code. */
  | {
      readonly kind: "icmp";
      readonly family: IpFamily | null;
      readonly type: number | null;
      readonly code: number | null;
    }
  /** ICMP of the family but this type, or but this code of the type; a code of null: any. */
  | {
      readonly kind: "otherIcmp";
      readonly family: IpFamily;
      readonly type: number;
      readonly code: number | null;
    };

/** How the verdicts of one rule are logged; overrides the policy's logging. */
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
  /** The action as written, of a rule that denies only because a backend has no tier left for it to pass to (closed-rules.ts). */
  readonly closedFrom?: "pass";
  /**
   * Tells rules of one index apart, which have one action: canonical text. Set where one rule was expanded into several, one
   * for each value that its peers share with the subject (partition.ts), and by a dialect where parts of a rule have peers
   * and ports of their own; never both. It holds user text: a backend must hash it before it becomes part of a name.
   */
  readonly share: string | null;
  /** Set when the rule applies to other pods than the policy's subject does. */
  readonly subject: Subject | null;
  /** It matches only by addresses among these of the pod that the rule applies to. Absent: by any of them. */
  readonly own?: Addresses;
  /** The rule matches when any peer does; an empty list matches nothing. */
  readonly peers: readonly Peer[];
  /** null: any protocol and port; otherwise the rule matches any of them. */
  readonly ports: readonly PortMatch[] | null;
  /** null: the policy's logging applies. */
  readonly logging: RuleLogging | null;
  /**
   * True: it matches only connections whose destination a load balancer has replaced by a Service's endpoint; peers and ports
   * are the endpoint's. Absent: it does not matter how a connection reached its destination.
   */
  readonly translated?: true;
}

/** The key of the object that the policy was compiled from. */
export type PolicyKey = ObjectKey;

/** The object that a policy was compiled from. */
export type PolicyRef = ObjectName;

/** Severity of a logged verdict by action; null: not logged. */
export type Logging = Readonly<Record<Action, LogSeverity | null>>;

/** A text by each key. */
export type Marks = Readonly<Record<string, string>>;

/** The properties of a policy that apply to all its rules. */
export interface PolicyHead {
  readonly key: PolicyKey;
  readonly ref: PolicyRef;
  /** The owner type of the rows that a backend writes: OVN's `k8s.ovn.org/owner-type`. Each kind has its own. */
  readonly ownerType: string;
  /** Absent: sets that each selector has, which all kinds without a form of their own share. */
  readonly rowForm?: RowForm;
  /** Short upper-case name of the kind, as logs and dashboards print it: ANP, BANP, NP. */
  readonly shortKind: string;
  /**
   * What users find the rows of its rules by, beside its name: by a key that no backend has of its own, a text. A backend writes them
   * on each row of a rule, as no part of the row's name. Absent: nothing.
   */
  readonly marks?: Marks;
  readonly tier: Tier;
  /** What the policy's API calls its tier, where several tiers of the API are this one. For people: it decides nothing. */
  readonly apiTier?: string;
  /** Within the tier; the lower number is evaluated first. May be infinite. */
  readonly priority: number;
  /**
   * Among the policies of one tier and priority that have such a text, the lower one is evaluated first, by UTF-16 code units; of
   * equal texts the lower key. Absent: the order of this policy and another of its place is open. Where rules take turns it
   * says nothing.
   */
  readonly tie?: string;
  /**
   * Rules of all such policies of one tier and priority are evaluated by index, whichever policy they are of, and at one
   * index by action: deny, reject, allow, pass. Absent: a policy's rules are evaluated one after the other.
   */
  readonly interleaved?: true;
  readonly logging: Logging;
  /**
   * True: its allow rules follow no connections. They let single packets pass, and what answers them needs rules of its own.
   * Absent: what an allowed connection brings back passes with it.
   */
  readonly stateless?: true;
  /** True: a connection that one of its allow rules allowed continues when a later decision denies it. Absent: it ends. */
  readonly persistent?: true;
}

export interface Policy extends PolicyHead {
  readonly subject: Subject;
  readonly rules: Readonly<Record<Direction, readonly Rule[]>>;
  /** The default for a subject's traffic that no rule of the direction matches. */
  readonly unmatched: Readonly<Record<Direction, "next" | "deny">>;
  /** True: it has no rules and no default that denies, because nothing of its object is enforced. A backend keeps nothing of it. */
  readonly isInert?: true;
}

export function policyKey(ref: PolicyRef): PolicyKey {
  return objectKey(ref, ref.namespace, ref.name);
}

export function groupKey(group: Group): GroupKey {
  switch (group.kind) {
    case "nodes":
      return `nodes ${group.nodes.text}` as GroupKey;
    case "hostNames":
      return `hostNames ${group.names.text}` as GroupKey;
    case "pods":
      return `pods ${group.namespaces.text} ${group.pods.text}` as GroupKey;
    case "podsOfNode":
      return `podsOfNode ${group.node}` as GroupKey;
    default:
      return unreachable(group);
  }
}

export const everyPod: readonly PodGroup[] = [{ kind: "pods", namespaces: everything, pods: everything }];

export const everyPeer: readonly Peer[] = [{ kind: "everything" }];

/** Identifies the rule among all rules of its direction, wherever it is in the list. */
export function ruleKey({ index, share }: Pick<Rule, "index" | "share">): string {
  return share === null ? `${index}` : `${index} ${share}`;
}
