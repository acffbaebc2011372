// What `northgate explain` answers, in the shape of its JSON. Fields may be added to it and are never renamed. Names are of
// objects that users wrote; texts are sentences without a full stop.

import type { EndKind } from "../analysis/ends.ts";
import type { Ref, RuleRef } from "../analysis/ref.ts";
import type { RuleHits } from "../hits/hits.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import type { AskedProtocol } from "../model/protocols.ts";

/** `unknown`: both are open. */
export type AnsweredVerdict = "allow" | "deny" | "unknown";

export interface AnsweredEnd {
  /** As it was asked. */
  readonly text: string;
  /** null: of a workload, whose pods have no address yet, and of a Service without one. */
  readonly ip: IpAddress | null;
  /** `namespace/name`; null: no pod's. */
  readonly pod: string | null;
  readonly node: string | null;
  readonly kind: EndKind;
  /** That stands for pods which are not there. */
  readonly workload?: Ref;
  /** `namespace/name` of a Service that was asked for by its name. */
  readonly service?: string;
}

export type CaveatCode =
  | "Tie"
  | "ServiceAddress"
  | "HostNetwork"
  | "Hairpin"
  | "DomainName"
  | "UnseenPod"
  | "NotRead"
  | "Plugin"
  | "KindNotListed"
  | "KindNotRead"
  | "NamespaceLabels"
  | "NoAddress"
  | "SharedAddress"
  | "Outside"
  | "Family";

export interface Caveat {
  readonly code: CaveatCode;
  readonly text: string;
}

/** The tier of a policy among the three that every cluster has, or the nearest of them. */
export interface TierRef {
  readonly tier: "admin" | "namespaced" | "baseline";
  /** The tier's own name, where its dialect brought another one. */
  readonly tierName?: string;
  /** The tier as the policy's API calls it, where several tiers of the API are the one above. */
  readonly apiTier?: string;
}

export interface RuleStep extends TierRef {
  readonly policy: Ref;
  /** As the object says it, in `spec.priority`; null: its kind has none. */
  readonly priority: number | null;
  /** null: none of the policy's rules matched, and it isolates the pod. */
  readonly rule: RuleRef | null;
}

/**
 * Why a rule that matches too does not decide.
 * - `rule-before`: an earlier rule of its policy matches
 * - `policy-before`: a rule of an earlier policy of its tier matches
 * - `turn-before`: a rule of a policy that its own takes turns with, of the same priority, is asked before it and matches
 * - `equal`: its policy has the priority of the one that decided, and it says the same
 * - `passed`: a rule of its tier passed the connection on
 * - `tier-before`: an earlier tier has decided
 */
export type LostReason = "rule-before" | "policy-before" | "turn-before" | "equal" | "passed" | "tier-before";

export interface LostRule extends RuleStep {
  readonly because: LostReason;
}

/** A rule about this pod that fails in one part only. */
export interface NearMiss extends RuleStep {
  /** `own`: the address of this pod. */
  readonly part: "peer" | "own" | "port" | "protocol" | "service";
  readonly wanted: string;
  readonly has: string;
}

/**
 * Who decides on a side.
 * - `rule`: a rule
 * - `isolation`: policies select the pod, and no rule of their tier matches
 * - `default`: no rule, and the connection is allowed
 * - `exempt`: policies do not apply: an address outside, a node, a pod on its node's network, a pod to itself
 * - `tie`: policies of equal priority that say different things
 */
export type DecidedBy = "rule" | "isolation" | "default" | "exempt" | "tie";

export interface Side extends Partial<TierRef> {
  readonly verdict: AnsweredVerdict;
  readonly by: DecidedBy;
  /** Of a rule or of isolation. */
  readonly policy?: Ref;
  readonly priority?: number | null;
  readonly rule?: RuleRef;
  /** What packets met of the rule or the isolation; absent: not asked. */
  readonly hits?: RuleHits;
  /** Every policy that isolates the pod in this tier. */
  readonly policies?: readonly Ref[];
  /** The rules that tie. */
  readonly tied?: readonly RuleStep[];
  /** The passes on the way, in order. */
  readonly steps: readonly RuleStep[];
  /** In the order of evaluation; absent unless asked for, as `near` is. */
  readonly lost?: readonly LostRule[];
  /** At most five. */
  readonly near?: readonly NearMiss[];
}

/** A pod behind the address of a Service, and the connection to it. */
export interface Backend {
  /** As an end can be asked. */
  readonly to: string;
  readonly port: number;
  readonly verdict: AnsweredVerdict;
}

export interface Answer {
  readonly from: AnsweredEnd;
  readonly to: AnsweredEnd;
  readonly protocol: AskedProtocol;
  /** Null for icmp. */
  readonly port: number | null;
  readonly verdict: AnsweredVerdict;
  /** null: not asked. */
  readonly egress: Side | null;
  readonly ingress: Side | null;
  readonly caveats: readonly Caveat[];
  /** Of a Service that is known and has the port. */
  readonly backends?: readonly Backend[];
}

/** Pods, workloads that stand for others, and addresses that are no pod's. */
export interface AnsweredEnds {
  /** `namespace/name`. */
  readonly pods: readonly string[];
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
}

/** Every connection from one of these to one of those has this verdict by these rules. */
export interface AnsweredGroup {
  readonly from: AnsweredEnds;
  readonly to: AnsweredEnds;
  /** Null for icmp. */
  readonly port: number | null;
  readonly verdict: AnsweredVerdict;
  readonly egress: Side | null;
  readonly ingress: Side | null;
}

/** The answer to a question about many ends. */
export interface ManyAnswer {
  readonly from: AnsweredEnds & { readonly text: string };
  readonly to: AnsweredEnds & { readonly text: string };
  readonly protocol: AskedProtocol;
  /** As it was asked: a name may lead to several numbers. */
  readonly port: number | string | null;
  /** `mixed`: not that of all. */
  readonly verdict: AnsweredVerdict | "mixed";
  /** Denials first. Each pair of ends that is meant is in one of them. */
  readonly groups: readonly AnsweredGroup[];
  readonly caveats: readonly Caveat[];
}

/** An answer, or why there is none; with what was expected, if anything was. */
export type AnswerOrError = (Answer & Expected) | { readonly error: string };

/** What was expected of an answer, if anything was. */
export interface Expected {
  readonly expected?: AnsweredVerdict;
  /** Whether the verdict is the expected one. */
  readonly met?: boolean;
}
