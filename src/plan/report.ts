// What a plan says, as the JSON that `northgate plan -o json` prints: schema northgate.plan/1. Fields may be added, never
// renamed. Every other form of output is made from it.

import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { PodKey } from "../model/facts.ts";
import type { Ends } from "./titles/ends-shown.ts";
import type { ClassVerdict } from "../verdicts/walk.ts";
import type { Traffic } from "../verdicts/traffic-words.ts";

/** The verdict of one side, and what decides it. */
export interface Decider {
  readonly verdict: ClassVerdict;
  /**
   * `isolation`: no rule matched; `default`: no rule decides; `exempt`: the end is no policy's subject; `address`: it is unknown;
   * `open`: a network plugin leaves it open.
   */
  readonly by: "rule" | "isolation" | "default" | "exempt" | "tie" | "address" | "open";
  readonly tier?: string;
  /** Of a rule. */
  readonly policy?: Ref;
  readonly rule?: RuleRef;
  /** Of isolation, ties and what is open: all of them. Of an address: those that decide at some of those that a workload's pods may have. */
  readonly policies?: readonly Ref[];
}

export interface Deciders {
  readonly egress: Decider;
  readonly ingress: Decider;
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

export interface Edit {
  readonly op: "added" | "changed" | "removed";
  readonly object: Ref;
  /** `file:line` of the edit; of a removed object, where it was; null: the object is from no file. */
  readonly place: string | null;
}

/** What a change means for pods, where it is known what pods need. */
export interface Effect {
  readonly code: "DNS" | "APIServer" | "Probes";
  /** "DNS lost: …". */
  readonly text: string;
}

/** One change as people read it: classes that differ by nothing but a namespace are one line, and so is what nodes split. */
export interface SummaryLine {
  readonly change: "denied" | "allowed" | "unknown";
  readonly old: ClassVerdict;
  readonly new: ClassVerdict;
  readonly families: VerdictClass["families"];
  /** Without the ways by which nodes reach their own pods. */
  readonly from: string;
  readonly to: string;
  readonly traffic: readonly Traffic[];
  /** The most frequent first. */
  readonly causes: readonly string[];
  /** They are those of some connections; there may be others. */
  readonly isExcerpt: boolean;
  /** How many connections were tried for the causes: of each pair of kinds of ends, one on each part of the traffic. */
  readonly tried: number;
  readonly effects: readonly Effect[];
  /** What the causes name. */
  readonly edits: readonly Edit[];
  /** Places in `verdicts.changes`. */
  readonly classes: readonly number[];
  /** Of these, those whose ends the ways by which nodes reach their own pods divide. */
  readonly dividedByNodes: readonly number[];
  /** It is about nothing but the ways by which nodes reach their own pods. */
  readonly isOwnNode: boolean;
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
  /** The network plugin that enforces the policies: there are no rows; absent: OVN. */
  readonly cni?: string;
  /** `rows`: objects, pods and verdicts are not compared; absent: all are compared. */
  readonly compared?: "rows";
  readonly objects: ObjectChanges;
  /** On the pod network in one of the worlds only: listed, not judged. */
  readonly pods: { readonly added: readonly PodKey[]; readonly removed: readonly PodKey[] };
  /** That stand for pods on the pod network in one of the worlds only: likewise. */
  readonly workloads: { readonly added: readonly Ref[]; readonly removed: readonly Ref[] };
  readonly rows: RowChanges;
  readonly verdicts: {
    readonly changes: readonly VerdictClass[];
    /** Worst first: what comes to be denied, to be allowed, to be unknown. */
    readonly summary: readonly SummaryLine[];
  };
  readonly unjudged: readonly Unjudged[];
  readonly notes: readonly Note[];
  readonly caveats: readonly Caveat[];
}
