// What `northgate can` answers, in the shape of its JSON: schema northgate.can/1. Fields may be added, never renamed. Every other
// form of output is made from it.

import type { EndKind } from "../analysis/ends.ts";
import type { Reach } from "../crossings/reach.ts";
import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { AnsweredVerdict, Caveat, DecidedBy, RuleStep } from "../explain/answer.ts";
import type { PodKey } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import type { AskedProtocol } from "../model/protocols.ts";
import type { Traffic } from "../verdicts/traffic-words.ts";

/** What was asked about. `network`: addresses by networks, or `internet`. `pods`: several pods and workloads. */
export interface AskedEnd {
  readonly text: string;
  readonly kind: EndKind | "network" | "pods";
  /** `namespace/name`; null: no pod's. */
  readonly pod: PodKey | null;
  readonly node: string | null;
  /** Of a pod or a node; none of others. */
  readonly ips: readonly IpAddress[];
  /** That stands for pods which are not there. */
  readonly workload?: Ref;
  /** `namespace/name`; the pods behind it are asked about, at the ports that it leads to. */
  readonly service?: string;
  /** All that is meant, where it is a set of ends. */
  readonly members?: Members;
}

export interface CanQuestion {
  /** null: everybody. At least one of both is given, or neither: everything. */
  readonly from: string | null;
  readonly to: string | null;
  /** null: every protocol. */
  readonly protocol: AskedProtocol | null;
  /** A number, or the name of a container port of each destination; null: every port. */
  readonly port: number | string | null;
}

/** Pods of one workload, or a workload that stands for pods which are not there: `pods` and `of` are 0. */
export interface WorkloadPart {
  /** `shop/web`, or `shop/[app=web]` where nothing was read of what controls the pods. */
  readonly title: string;
  readonly namespace: string;
  /** null: what controls the pods was not read; as `name`. */
  readonly kind: string | null;
  readonly name: string | null;
  readonly pods: number;
  /** How many pods the workload has. */
  readonly of: number;
  /** Where these are not all of the workload's. */
  readonly names?: readonly PodKey[];
}

export interface Members {
  /** Without those that workloads stand for. */
  readonly pods: number;
  /** By title. */
  readonly workloads: readonly WorkloadPart[];
  /** All addresses in these networks that no pod has. */
  readonly addresses: readonly Cidr[];
  /** Of the addresses, for people; "" of none. */
  readonly addressesTitle: string;
}

/** What decides on one side. */
export interface Decider {
  readonly verdict: AnsweredVerdict;
  readonly by: DecidedBy;
  readonly tier?: string;
  /** Of a rule or of isolation. */
  readonly policy?: Ref;
  readonly rule?: RuleRef;
  /** The rules that tie. */
  readonly tied?: readonly RuleStep[];
}

/** Connections that the same rules decide: from each of the ones to each of the others, but for a pod to itself. */
export interface CanGroup {
  readonly verdict: AnsweredVerdict;
  readonly families: readonly ("IPv4" | "IPv6")[];
  readonly from: Members;
  readonly to: Members;
  readonly traffic: readonly Traffic[];
  /** null: the other side denies, whatever this one says. */
  readonly egress: Decider | null;
  readonly ingress: Decider | null;
  /** Why the verdict is unknown; empty for others. */
  readonly why: readonly Caveat[];
  /** One connection of the group, as explain takes it. */
  readonly example: {
    readonly from: string;
    readonly to: string;
    readonly protocol: string;
    readonly port: number | null;
  };
}

/**
 * What ends outside of a set have with all of it, on some traffic: connections with each end of the set, but for a pod with itself
 * and an address with an address.
 */
export interface SetReach {
  readonly reach: Reach;
  readonly families: readonly ("IPv4" | "IPv6")[];
  /** Those that reach the set, or that it reaches; each of them has the word. */
  readonly ends: Members;
  readonly traffic: readonly Traffic[];
  /** Of the set, what is allowed for certain, and what is unknown; absent of `all` and `none`. */
  readonly allowed?: Members;
  readonly unknown?: Members;
}

export interface CanReport {
  readonly schema: "northgate.can/1";
  readonly question: CanQuestion;
  readonly from: AskedEnd | null;
  readonly to: AskedEnd | null;
  /** Where an end that was asked about is a set: `to`, or else `from`. All, some, none, unknown; of each those with most ends first. */
  readonly reach?: readonly SetReach[];
  /** Allowed, unknown, denied; of each those with most ends first. */
  readonly groups: readonly CanGroup[];
  readonly caveats: readonly Caveat[];
}
