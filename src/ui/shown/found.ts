// The shape of the answer of a search. The page's scripts are checked against it.

import type { Ref } from "../../analysis/ref.ts";
import type { Excerpt } from "../excerpt.ts";

export type FoundSort = "pod" | "workload" | "service" | "namespace" | "policy" | "node";

export interface Found {
  readonly sort: FoundSort;
  /** As the sort is asked for: an end of a connection, the name of a namespace, or the key of a policy. */
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Of a policy. */
  readonly policy?: Ref;
  /** Of a workload. False: no end means its pods, and `id` is its namespace. */
  readonly isEnd?: boolean;
}

/** What is found best is first. */
export interface SearchShown extends Excerpt<Found> {
  readonly revision: string;
}
