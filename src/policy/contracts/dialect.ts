// The contract of a policy frontend: objects of one or several kinds in, IR or Problems out. `compile` is a pure
// function of the object and of what `resolve` returns; it never throws on user input. The kind itself supplies its
// words for logs, events, conditions and metrics: shared code contains no kind's words.

import type { Resolve } from "./resolve.ts";
import { invariant } from "../../lib/invariant.ts";
import type { KindText, ObjectKind, PolicyObject, ReferencedObject } from "../../model/object.ts";
import { kindText, kindTextOf } from "../../model/object.ts";
import type { PolicyEvent } from "../../model/policy-event.ts";
import type { Problem } from "../../model/problem.ts";
import type { PolicyPart } from "./backend.ts";
import type { Action, Policy, PolicyHead, PolicyKey, Tier } from "../ir.ts";
import type { OwnNodeWay } from "../own-node.ts";
import type { RowForm } from "./row-form.ts";
import type { UnmatchedPort } from "./unmatched-port.ts";

export interface Compiled {
  /**
   * null: rejected; at least one of the problems is an error, but where a command may not read what the policy refers to. A policy beside errors is in force: they name the parts of the
   * object that are left out, or stricter than written.
   */
  readonly policy: Policy | null;
  readonly problems: readonly Problem[];
  /**
   * What could be read of a rejected policy, without rules: the backend's refusals of it are reported together with the
   * problems. Absent: nothing could be read.
   */
  readonly outline?: Policy;
}

/**
 * How the verdicts of a namespace's policies are to be logged: the text of its annotation; null: it has none. Questions are
 * recorded as those to `Resolve` are.
 */
export type NamespaceLogging = (namespace: string) => string | null;

export interface Dialect {
  readonly kinds: readonly PolicyKindTraits[];
  /** Kinds of other objects that `resolve` may be asked for. Never Pod, Namespace or Node, which are facts. */
  readonly references: readonly ReferenceKind[];
  compile(object: PolicyObject, resolve: Resolve, loggingOf?: NamespaceLogging): Compiled;
  /** Path of the field that holds this part, as kubectl prints it; "" for the object itself. */
  fieldOf(part: PolicyPart): string;
  /** The flag that lets its policies be `persistent`, as users type it; absent: none is. */
  readonly persistentBy?: string;
  /** Another program enforces its policies, so that none of them can be staged here (staged.ts); false unless given. */
  readonly isOthers?: boolean;
}

/** A kind of policy, with its names for users and for programs. */
export interface PolicyKindTraits extends ObjectKind {
  /** Short upper-case name, as logs and dashboards print it: ANP, BANP, NP. */
  readonly shortKind: string;
  /** The owner type of the rows that a backend writes for its policies. Each installed kind has its own. */
  readonly ownerType: string;
  /** Absent: sets that each selector has, which all kinds without a form of their own share. */
  readonly rowForm?: RowForm;
  /** The actions that its rules can have, each by the word that its users write; of two words for one, the first is shown. */
  readonly actions: readonly (readonly [word: string, Action])[];
  /** The metrics that count its policies, rules and rows; null: none. */
  readonly metrics: MetricFamily | null;
  readonly events: EventWords;
  /** The place of most of its policies, where the kind says more than its tiers. */
  readonly expected?: ExpectedPriorities;
  /**
   * While an object of the kind is there, understood or not, a node may reach its own pods whatever policies of the tier, or
   * any policies, say (own-node.ts). Absent: the kind promises nothing.
   */
  readonly nodesReachOwnPods?: OwnNodeWay;
  /**
   * A rule that a backend cannot say, or has no place for, is closed, and the rest of the policy is in force (closed-rules.ts).
   * Absent: the policy is refused whole.
   */
  readonly closesRules?: true;
  /** null: the kind has no conditions. */
  readonly conditions: ConditionWords | null;
}

/** Priorities that policies of one tier are expected to have: a backend that has no place for each number leaves room there. */
export interface ExpectedPriorities {
  readonly tier: Tier;
  /** Ascending. Between two neighbours as many policies are expected as between any other two. */
  readonly priorities: readonly [first: number, last: number, ...more: number[]];
}

/** Of the kinds, each once. */
export function expectedPriorities(
  kinds: Iterable<Pick<PolicyKindTraits, "expected">>,
): readonly ExpectedPriorities[] {
  return [...new Set([...kinds].flatMap(({ expected }) => expected ?? []))];
}

/** What the head of a policy says of its kind. */
export function kindInHead({
  ownerType,
  shortKind,
  rowForm,
}: PolicyKindTraits): Pick<PolicyHead, "ownerType" | "shortKind" | "rowForm"> {
  return { ownerType, shortKind, ...(rowForm && { rowForm }) };
}

/** The metrics of one kind: how many of its policies are in force, their rules, and their rows. */
export interface MetricFamily {
  /** The beginning of the metrics' names: the program that documents them, OVN-Kubernetes or this one. */
  readonly prefix: "ovnkube_controller" | "northgate";
  /** Comes next in the metrics' names. */
  readonly name: string;
}

/** The events on a policy's object; null: no event. */
export interface EventWords {
  /** For a finding in the object, or for rows that were refused. */
  problem(object: PolicyObject, problem: Problem): PolicyEvent | null;
  /** For another policy of the kind at the same priority of the same tier; null: the kind does not mind. */
  readonly samePriority: ((object: PolicyObject, other: PolicyObject) => PolicyEvent) | null;
  unmatchedPort(object: PolicyObject, port: UnmatchedPort): PolicyEvent | null;
}

/** How far a policy is realized. */
export type Realization =
  /** In force as written. */
  | "realized"
  /** In force but for parts that are left out, or stricter than written. */
  | "partly"
  /** The object is refused, or there is no place for its rows; its previous version stays in force. */
  | "refused"
  /** The database refused the rows; the previous version stays in force. */
  | "failed"
  /** Its rows are written, and not yet of effect everywhere. */
  | "underWay"
  /** It is staged: its object keeps it out of force. */
  | "staged";

/** What a status says of a policy in values beside its condition. */
export interface Realized {
  /** null: one zone for the whole cluster. */
  readonly zone: string | null;
  readonly realization: Realization;
  /** Of the object that is spoken of. */
  readonly generation: number | null;
  /** Nodes with a pod that the policy, or one of its rules, applies to. */
  readonly nodes: number;
}

export interface ConditionWords {
  /** The type of a zone's condition; null: one zone for the whole cluster. */
  readonly type: (zone: string | null) => string;
  readonly reasons: { readonly succeeded: string; readonly failed: string };
  /** Message of success, which warnings are added to. */
  readonly success: string;
  /** The documented message of a finding; null: there is none, and the finding's own message is used. */
  readonly problem: (object: PolicyObject, problem: Problem) => string | null;
  /** Whether the condition is true; of `realized` alone unless given. */
  readonly isTrue?: (realization: Realization) => boolean;
  /** Values of the status beside its condition, by their names; absent: none, and the condition has its generation. */
  readonly summary?: (realized: Realized) => Readonly<Record<string, string | number>>;
}

/** A kind of object that policies refer to. */
export interface ReferenceKind extends ObjectKind {
  /** What is reported on an object of the kind, named by a policy or not; absent: nothing. */
  readonly status?: ReferenceStatus;
}

export interface ReferenceStatus {
  /** The type of a zone's condition; null: one zone for the whole cluster. The kind has no conditions where there is no type. */
  readonly type: ((zone: string | null) => string) | null;
  /** Pure. Questions are recorded, as those of `compile` are. */
  judge(object: ReferencedObject, resolve: Resolve): ReferenceVerdict;
}

export interface ReferenceVerdict {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
  /** Everything found in the object, whether a policy names it or not. */
  readonly problems: readonly Problem[];
}

/**
 * Of the findings, the mistakes of the object's author: what its API refuses. What only rows cannot express concerns the
 * policies that name it.
 */
export function mistakesIn({ problems }: ReferenceVerdict): readonly Problem[] {
  return problems.filter(({ severity, code }) => severity === "error" && code !== "Unsupported");
}

export function policyKinds(dialects: readonly Dialect[]): readonly PolicyKindTraits[] {
  return dialects.flatMap(({ kinds }) => kinds);
}

/** The kinds that sources read for the dialects, apart from the facts. */
export function kindsToRead(dialects: readonly Dialect[]): {
  readonly policies: readonly PolicyKindTraits[];
  readonly references: readonly ReferenceKind[];
} {
  return { policies: policyKinds(dialects), references: dialects.flatMap(({ references }) => references) };
}

/** The kind behind each owner type. */
export function ownersOf(dialects: readonly Dialect[]): ReadonlyMap<string, PolicyKindTraits> {
  const kinds = policyKinds(dialects);
  const owners = new Map(kinds.map((kind) => [kind.ownerType, kind]));
  invariant(owners.size === kinds.length, "two kinds of policy have one owner type");
  return owners;
}

/** The field that says a part of a policy of one of their kinds; "" of another kind's. */
export function fieldsOf(dialects: readonly Dialect[]): (key: PolicyKey, part: PolicyPart) => string {
  const byKind = dialectsByKind(dialects);
  return (key, part) => byKind.get(kindTextOf(key))?.fieldOf(part) ?? "";
}

/** The dialect of each kind. */
export function dialectsByKind(dialects: readonly Dialect[]): ReadonlyMap<KindText, Dialect> {
  const byKind = new Map<KindText, Dialect>();
  for (const dialect of dialects) {
    for (const kind of dialect.kinds) {
      invariant(!byKind.has(kindText(kind)), `two dialects of ${kindText(kind)}`);
      byKind.set(kindText(kind), dialect);
    }
  }
  return byKind;
}
