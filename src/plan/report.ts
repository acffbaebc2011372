// What a plan says, as the JSON that `northgate plan -o json` prints: schema northgate.plan/1. Fields may be added, never
// renamed. Every other form of output is made from it.

import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { PodKey } from "../model/facts.ts";
import type { Ends } from "./ends-shown.ts";
import type { ClassVerdict } from "../verdicts/walk.ts";
import type { Range } from "../verdicts/axes.ts";

/** The verdict of one side, and what decides it. */
export interface Decider {
  readonly verdict: ClassVerdict;
  /** `isolation`: no rule matched; `default`: no rule decides; `exempt`: the end is no policy's subject; `address`: it is unknown. */
  readonly by: "rule" | "isolation" | "default" | "exempt" | "tie" | "address";
  readonly tier?: string;
  /** Of a rule. */
  readonly policy?: Ref;
  readonly rule?: RuleRef;
  /** Of isolation and ties: all of them. Of an address: those that decide at some of those that a workload's pods may have. */
  readonly policies?: readonly Ref[];
}

export interface Deciders {
  readonly egress: Decider;
  readonly ingress: Decider;
}

/** `ports`: of tcp, udp and sctp; the others are whole where nothing is said of them. */
export interface Traffic {
  readonly protocol: string;
  readonly ports?: readonly Range[];
  /** Of icmp: 256 × type + code. */
  readonly types?: readonly Range[];
  /** Of other: IP protocol numbers, but for those that have a name here. */
  readonly numbers?: readonly Range[];
  /** Of tcp, udp and sctp, the source ports; absent: any. */
  readonly sourcePorts?: readonly Range[];
}

export interface Example {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  /** null: the protocol has none. */
  readonly port: number | null;
  /** Absent: any. */
  readonly sourcePort?: number;
}

export interface VerdictClass {
  readonly families: readonly ("IPv4" | "IPv6")[];
  readonly from: Ends;
  readonly to: Ends;
  readonly traffic: readonly Traffic[];
  readonly old: ClassVerdict;
  readonly new: ClassVerdict;
  /** Of the example. */
  readonly by: Readonly<Record<"old" | "new", Deciders>>;
  readonly example: Example;
}

export interface ChangedField {
  /** As kubectl prints a path. */
  readonly field: string;
  /** JSON values; absent: there was none, or there is none. */
  readonly old?: unknown;
  readonly new?: unknown;
}

export interface ChangedObject extends Ref {
  readonly fields: readonly ChangedField[];
}

export interface ObjectChanges {
  readonly added: readonly Ref[];
  readonly changed: readonly ChangedObject[];
  readonly removed: readonly Ref[];
}

export interface RowChange {
  readonly op: "add" | "change" | "delete";
  readonly table: string;
  /** The row's name; of an ACL its `k8s.ovn.org/id`. */
  readonly row: string;
  /** Its `k8s.ovn.org/id`. */
  readonly id: string;
  /** Whose row it is; null: several policies share it. */
  readonly policy: Ref | null;
  readonly columns: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
}

export interface RowChanges {
  readonly add: number;
  readonly change: number;
  readonly delete: number;
  readonly changes: readonly RowChange[];
}

export interface Caveat {
  readonly code: string;
  readonly text: string;
}

/** A changed policy, or a part of one, of which no connection was judged although it could be about some. */
export interface Unjudged {
  readonly policy: Ref;
  readonly why: string;
}

/** What a changed policy, or one of its rules, does not do: no failure. */
export interface Note {
  readonly policy: Ref;
  readonly text: string;
}

export interface PlanReport {
  readonly schema: "northgate.plan/1";
  readonly against: string;
  /** `rows`: objects, pods and verdicts are not compared; absent: all are compared. */
  readonly compared?: "rows";
  readonly objects: ObjectChanges;
  /** On the pod network in one of the worlds only: listed, not judged. */
  readonly pods: { readonly added: readonly PodKey[]; readonly removed: readonly PodKey[] };
  /** That stand for pods on the pod network in one of the worlds only: likewise. */
  readonly workloads: { readonly added: readonly Ref[]; readonly removed: readonly Ref[] };
  readonly rows: RowChanges;
  readonly verdicts: { readonly changes: readonly VerdictClass[] };
  readonly unjudged: readonly Unjudged[];
  readonly notes: readonly Note[];
  readonly caveats: readonly Caveat[];
}
