// The two worlds that a plan compares, and a way to have one thing of each. What a plan needs of a world is what the judge
// (policy/evaluate.ts) needs: the policies in force, and the facts.

import type { FactStore } from "../model/fact-store.ts";
import type { Policy } from "../policy/ir.ts";
import type { Workload } from "./workload.ts";

export type Age = "old" | "new";
export const ages: readonly Age[] = ["old", "new"];

export type Both<T> = Readonly<Record<Age, T>>;

export function both<T>(make: (age: Age) => T): Both<T> {
  return { old: make("old"), new: make("new") };
}

export interface PlanWorld {
  /** Those in force, not expanded. */
  readonly policies: readonly Policy[];
  readonly facts: Pick<FactStore, "pods" | "namespaces" | "nodes">;
  /** Of the manifests; none unless given. */
  readonly workloads?: readonly Workload[];
}
