// What the page is about: one cluster, at rest while a question is answered. The program that serves the page provides it: a
// source that is followed (followed.ts), or the controller's own state. Nothing here can change anything.

import type { Ref } from "../analysis/ref.ts";
import type { CanReport } from "../can/report.ts";
import type { AskedWorld } from "../explain/asked.ts";
import type { Hits } from "../hits/hits.ts";
import type { MatrixReport } from "../matrix/report.ts";
import type { Finding } from "../lint/finding.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { ObjectKey } from "../model/object.ts";
import { splitKey } from "../model/object.ts";
import type { Workload } from "../model/workload.ts";
import type { PlanReport } from "../plan/report.ts";
import type { PolicyKey } from "../policy/ir.ts";
import type { Membership } from "../policy/contracts/membership.ts";
import type { ReadRecord } from "../unknowns/unknowns.ts";
import type { CachedValue } from "./background-cache.ts";

export interface ShownWorld extends ThreadAnswers {
  /** Another whenever an answer may be another. */
  readonly revision: string;
  /** False: the first objects are still on their way, and nothing is asked. */
  readonly isReady: boolean;
  /** The source of the objects, for people. */
  readonly from: string;
  readonly facts: Pick<FactStore, "pods" | "namespaces" | "nodes">;
  /** Those that stand for pods which are not there. */
  readonly workloads: readonly Workload[];
  /** The network plugin that enforces the policies, as `--cni` names it. */
  readonly cni: string;
  /** Refused ones too. */
  readonly policyCount: number;
  /** Equal while the revision is. */
  readonly asked: AskedWorld;
  readonly membership: Pick<Membership, "pods">;
  /** What could not be read or is refused: one line each, the newest last. */
  readonly problems: readonly string[];
  /**
   * What lint found, by the key of the policy; null: lint does not run here. The answer null: lint is running.
   */
  readonly findings: (() => CachedValue<ReadonlyMap<string, readonly Finding[]>> | null) | null;
  /** What packets met, as counted when the page was started; null, or absent: nothing is counted here. */
  readonly hits?: Hits | null;
  /** null: nothing is compared. */
  readonly plan: PlanOfWorld | null;
  /** Of a controller; null: this is none. */
  readonly live: Live | null;
  /** The policy's object as it was read, with what was found in it; null: there is none. */
  readonly record: (key: PolicyKey) => ReadRecord | null;
  /** null: no object has changed since the page was started. */
  readonly lastChange: LastChange | null;
}

/** What is computed in threads. The answer null: it is being computed. */
export interface ThreadAnswers {
  /** Namespaces against namespaces; with a namespace its workloads against each other and what is beside them. */
  readonly matrix: (namespace: string | null) => CachedValue<MatrixReport> | null;
  /** Who may reach an end, and what it may reach. */
  readonly reach: (end: string) => CachedValue<EndReach> | null;
  /**
   * Compares the world with the one that the manifests in the text make of it: their objects replace those of the same names. Rejects
   * with an Error of one sentence.
   */
  readonly compare: (text: string) => Promise<Compared>;
}

export interface Compared {
  readonly report: PlanReport;
  /** Whether the world that the text was compared with is still that of now. */
  readonly isOfNow: () => boolean;
}

/** Of one end, as `northgate can reach` answers; `out` null: of a Service, from which no connection comes. */
export interface EndReach {
  readonly in: CanReport;
  readonly out: CanReport | null;
}

export interface LastChange {
  /** As RFC 3339 has it. */
  readonly at: string;
  readonly object: Ref;
}

export function changeOf(key: ObjectKey, at: Date): LastChange {
  const { group, kind, namespace, name } = splitKey(key);
  return { at: at.toISOString(), object: { group, kind, namespace, name } };
}

export interface PlanOfWorld {
  /** What is compared with, for people. */
  readonly against: string;
  /** null: it is being made. Throws an Error of one sentence when it cannot be. */
  readonly report: () => CachedValue<PlanReport> | null;
}

/** What a controller is doing. Each line is a sentence without a full stop. */
export interface Live {
  /** Numbers with their names, in the order in which they are shown. */
  readonly counts: readonly { readonly name: string; readonly value: number }[];
  /** Why the rows do not do what the views say, one sentence each: the first lines of every view. */
  readonly unenforced: readonly string[];
  /** Why a policy is not in force as it is written, in a word; null: it is. */
  readonly whyNotInForce: (key: PolicyKey) => string | null;
  /** What is not done yet; none: the rows say what the policies say. */
  readonly pending: readonly string[];
  /** Which instance writes; null: it is not known yet. */
  readonly writer: Writer | null;
}

export interface Writer {
  /** This instance writes. */
  readonly leads: boolean;
  /** Another one, as people know it; null: none is known. */
  readonly other: string | null;
}
