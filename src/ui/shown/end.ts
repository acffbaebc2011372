// The shapes of the answers about a workload and a Service: what is there, and who may reach whom. The page's scripts are checked
// against them.

import type { CanGroup } from "../../can/report.ts";
import type { Caveat } from "../../explain/answer.ts";
import type { Excerpt } from "../excerpt.ts";
import type { GroupShown, NamespacePolicy, ServiceShown } from "./namespace.ts";

export interface EndShown {
  readonly revision: string;
  /** As it is asked for. */
  readonly end: string;
  readonly title: string;
  /** `labels`: pods of one namespace by their labels. */
  readonly sort: "workload" | "labels" | "service";
  readonly namespace: string;
  /** Why its pods are not known; null: they are. */
  readonly why: string | null;
  readonly pods: Excerpt<string>;
  /** How many of the pods policies do not apply to. */
  readonly exempt: number;
  /** Those that stand for pods which are not there. */
  readonly workloads: Excerpt<{ readonly end: string; readonly title: string }>;
  /** The workloads of the pods. */
  readonly groups: Excerpt<GroupShown>;
  /** Of a Service, the Service; else the Services whose selectors select one of the pods. */
  readonly services: Excerpt<ServiceShown>;
  /** Those that apply to any of the pods, in the order of evaluation. */
  readonly policies: Excerpt<NamespacePolicy>;
  /** One pod or workload, whose rules are those of so many of all; null: policies apply to none. */
  readonly sample: { readonly end: string; readonly alike: number; readonly of: number } | null;
}

export interface EndReachShown {
  readonly isMaking: false;
  readonly revision: string;
  readonly in: Excerpt<ReachRow>;
  /** null: of a Service. */
  readonly out: Excerpt<ReachRow> | null;
  readonly caveats: Excerpt<Caveat>;
}

/** Connections that the same rules decide. */
export interface ReachRow extends Pick<
  CanGroup,
  "verdict" | "families" | "egress" | "ingress" | "why" | "example"
> {
  readonly others: MembersShown;
  /** How many of the pods of the end; null: it is all of it. */
  readonly own: { readonly pods: number; readonly of: number } | null;
  readonly traffic: string;
}

export interface MembersShown {
  readonly workloads: Excerpt<MemberShown>;
  /** Of addresses that no pod has, for people; "" of none. */
  readonly addresses: string;
}

export interface MemberShown {
  readonly title: string;
  /** The end that means all of its pods; null: none does. */
  readonly end: string | null;
  /** 0 of a workload that stands for pods. */
  readonly pods: number;
  readonly of: number;
}

/** A namespace's workloads, and what is beside them. */
export interface GraphShown {
  readonly isMaking: false;
  readonly revision: string;
  /** How many there are. */
  readonly total: number;
  readonly nodes: readonly GraphNode[];
  /** By places of nodes, from 0; one of a node to itself is between its pods. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly name: string;
  /** null: it is beside the namespace, or nothing names it alone. */
  readonly end: string | null;
  /** It is no workload of the namespace. */
  readonly isBeside: boolean;
  readonly pods: number;
}

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly reach: "all" | "some" | "none" | "unknown";
  readonly text: string;
}
