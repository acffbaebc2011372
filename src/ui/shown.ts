// The shapes of what the page gets, where they are not those of the commands alone. The page's scripts are checked against them.

import type { Ref } from "../analysis/ref.ts";
import type { Answer, AnswerOrError } from "../explain/answer.ts";
import type { ListedPolicy, PodOverview } from "../explain/overview.ts";
import type { Finding, Severity } from "../lint/finding.ts";
import type { MatrixWindow } from "../plan/filtered.ts";
import type { ChangedObject, PlanReport, SummaryLine, VerdictClass } from "../plan/report.ts";
import type { Direction } from "../policy/ir.ts";
import type { Excerpt } from "./excerpt.ts";
import type { Live } from "./world.ts";

export interface StateShown {
  readonly revision: string;
  readonly from: string;
  readonly isReady: boolean;
  readonly live: Omit<Live, "whyNotInForce"> | null;
  /** The network plugin that enforces the policies, as `--cni` names it. */
  readonly cni: string;
  readonly counts: Readonly<Record<"pods" | "workloads" | "namespaces" | "nodes" | "policies", number>>;
  /** The newest first. */
  readonly problems: Excerpt<string>;
  readonly has: Readonly<Record<"findings" | "hits" | "plan" | "compare" | "matrix", boolean>>;
  /** Names of kinds that several API groups have among the policies: people see their groups. */
  readonly sharedKinds: readonly string[];
}

/** As `get pod -o json`, with at most so many rules of each tier. */
export interface PodShown extends PodOverview {
  /** As an end of a connection is asked for. */
  readonly end: string;
  /** What it is of: a workload, or pods of the same labels. null: it is a workload itself. */
  readonly group: { readonly title: string; readonly end: string | null } | null;
  /** How many rules each tier has in all. */
  readonly totals: Readonly<Record<Direction, Readonly<Record<string, number>>>>;
  /** Policies about the pod whose object is refused: kept, the rules are those of the version before; or refused, there are none. */
  readonly refused: readonly { readonly policy: Ref; readonly state: "kept" | "refused" }[];
}

/** As `explain -o json`, with its words; of a domain name that leads to several addresses, the verdict for each. */
export type ExplainShown = (AnswerOrError & Partial<ExplainWords>) | AddressesShown;

export interface AddressesShown {
  readonly name: string;
  /** That the name leads to. */
  readonly total: number;
  /** At most 20; without those of a family that the source has not. */
  readonly addresses: readonly { readonly to: string; readonly verdict: Answer["verdict"] }[];
}

export interface ExplainWords {
  readonly sentence: string;
  /** Of `lost`, in its order. */
  readonly remarks: Readonly<Record<Direction, readonly string[]>>;
  /** The places of the policies in the order of evaluation. */
  readonly ranks: readonly { readonly policy: Ref; readonly rank: number }[];
}

/** As `get -o json` has it, without the rows. */
export interface PolicyShown extends ListedPolicy {
  readonly key: string;
  /** In a controller: why it is not in force as it is written, in a word; null: it is, or this is unknown here. */
  readonly notInForce: string | null;
  /** Whether a part of it is in error, and the rest in force. */
  readonly inPart: boolean;
}

export interface PoliciesShown {
  readonly total: number;
  readonly offset: number;
  readonly policies: readonly PolicyShown[];
}

/** It takes long, and is not there yet; the state will be another when it is. */
export interface Making {
  readonly isMaking: true;
}

export interface FindingsShown {
  readonly isMaking: boolean;
  /** Of which they are. */
  readonly revision: string;
  /** Of all policies, without those that are suppressed. */
  readonly counts: Readonly<Record<Severity, number>>;
  readonly policies: readonly { readonly key: string; readonly findings: readonly Finding[] }[];
}

export interface PlanShown {
  readonly isMaking: false;
  readonly revision: string;
  readonly against: string;
  readonly objects: {
    readonly added: Excerpt<Ref>;
    readonly changed: Excerpt<ChangedObject>;
    readonly removed: Excerpt<Ref>;
  };
  readonly pods: { readonly added: Excerpt<string>; readonly removed: Excerpt<string> };
  readonly workloads: { readonly added: Excerpt<Ref>; readonly removed: Excerpt<Ref> };
  /** null: of a cluster without OVN. */
  readonly rows: Readonly<Record<"add" | "change" | "delete", number>> | null;
  /** By the verdicts: "allow → deny". */
  readonly verdicts: { readonly total: number; readonly counts: Readonly<Record<string, number>> };
  /** How many classes there are in the part that is asked for: that of lines and of the matrix. */
  readonly part: { readonly classes: number };
  /** Worst first. */
  readonly lines: Excerpt<PlanLine>;
  readonly matrix: MatrixWindow;
  readonly caveats: PlanReport["caveats"];
}

/** A plan of what is shown and of a text that somebody has pasted. */
export interface ComparedShown extends PlanShown {
  /** Nothing that is shown has changed since. */
  readonly isOfNow: boolean;
}

/** One change as people read it. */
export interface PlanLine extends Pick<SummaryLine, "change" | "old" | "new" | "from" | "to"> {
  readonly traffic: string;
  readonly causes: readonly string[];
  readonly effects: readonly string[];
}

/** As a class of `plan -o json`, with few of its ends and its words. */
export interface ClassShown extends VerdictClass {
  readonly totals: { readonly from: number; readonly to: number };
  readonly words: { readonly traffic: string; readonly deciders: string };
}

export interface ClassesShown {
  readonly total: number;
  readonly classes: readonly ClassShown[];
}
