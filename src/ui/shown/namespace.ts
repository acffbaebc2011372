// The shape of the answer about one namespace. The page's scripts are checked against it.

import type { Excerpt } from "../excerpt.ts";
import type { PolicyShown } from "../shown.ts";

export interface NamespaceShown {
  readonly revision: string;
  readonly name: string;
  readonly pods: number;
  /** True: other objects prove that it exists, and its labels were not read. */
  readonly isUnread: boolean;
  /** `key=value`. */
  readonly labels: Excerpt<string>;
  readonly groups: Excerpt<GroupShown>;
  /** Those that stand for pods which are not there. */
  readonly workloads: Excerpt<{ readonly end: string; readonly title: string }>;
  readonly services: Excerpt<ServiceShown>;
  /** Those that apply to pods or workloads of it, and its own; in the order of evaluation. */
  readonly policies: Excerpt<NamespacePolicy>;
}

/** Pods of one workload. */
export interface GroupShown {
  readonly title: string;
  /** The end that means them; null: none does. */
  readonly end: string | null;
  readonly pods: Excerpt<string>;
  /** How many of them policies do not apply to. */
  readonly exempt: number;
}

export interface ServiceShown {
  readonly name: string;
  /** As an end of a connection. */
  readonly end: string;
  readonly ips: readonly string[];
  readonly ports: readonly string[];
}

export interface NamespacePolicy extends PolicyShown {
  /** How many pods and workloads of the namespace it applies to; null: it is not known. */
  readonly selected: number | null;
}
