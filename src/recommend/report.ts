// What `northgate recommend` says, in the shape of its JSON. Fields may be added to it and are never renamed.

import type { Counted, FlowsReport } from "../flows/report.ts";
import type { Cidr } from "../model/ip.ts";
import type { Flow } from "../observe/record/record.ts";
import type { Direction } from "../policy/ir.ts";
import type { PolicyManifest } from "./manifest.ts";

export const recommendSchema = "northgate.recommend/1";

/** A recorded connection that no rule was made for. */
export interface LeftOutFlow extends Flow {
  readonly why: string;
}

/** Addresses outside that a rule names by networks, because there are too many of them. */
export interface Widened {
  readonly namespace: string;
  readonly policy: string;
  readonly direction: Direction;
  /** How many were seen. */
  readonly addresses: number;
  readonly networks: readonly Cidr[];
}

/** A namespace that gets policies. */
export interface CoveredNamespace {
  readonly name: string;
  /** Those that are there and stay: names of NetworkPolicies. */
  readonly existing: readonly string[];
  /** Pods that no NetworkPolicy isolates in the direction today. */
  readonly newlyIsolated: Readonly<Record<Direction, number>>;
  /** Workloads of which no connection is covered: nothing is allowed for them but what existing policies allow. */
  readonly silent: readonly string[];
  /** Workloads whose rules allow DNS by UDP alone, because that alone was seen. */
  readonly dnsByUdpAlone: readonly string[];
}

export interface Coverage {
  readonly recorded: Counted;
  /** On each side that is in a namespace with new policies, a rule allows them. */
  readonly covered: Counted;
  /** They have no end in the namespaces that are asked about. */
  readonly elsewhere: Counted;
  readonly namespaces: readonly CoveredNamespace[];
  /** Namespaces that were asked for and have no connection to allow: they get no policy. */
  readonly unseen: readonly string[];
  readonly widened: readonly Widened[];
  /** The most often opened first. */
  readonly leftOut: readonly LeftOutFlow[];
}

export interface Recommendation {
  /** In the order of namespaces and names; of a namespace the one that denies first. */
  readonly policies: readonly PolicyManifest[];
  readonly coverage: Coverage;
}

export interface RecommendReport extends Recommendation {
  readonly schema: typeof recommendSchema;
  /** The recorded connections without and with the policies, as `plan --flows` has them. */
  readonly proof: FlowsReport;
}
