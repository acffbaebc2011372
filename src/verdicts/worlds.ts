// The two worlds that are compared, and a way to have one thing of each. What the engine needs of a world is what the judge
// (policy/evaluate.ts) needs: the policies in force, and the facts. Questions about one world take it as both: then what is
// made of each is one object.

import type { FactStore } from "../model/fact-store.ts";
import type { Workload } from "../model/workload.ts";
import type { Policy, Rule } from "../policy/ir.ts";
import type { OpenRule } from "../unknowns/possible.ts";

export type Age = "old" | "new";
export const ages: readonly Age[] = ["old", "new"];

export type Both<T> = Readonly<Record<Age, T>>;

export function both<T>(make: (age: Age) => T): Both<T> {
  return { old: make("old"), new: make("new") };
}

/** Made once where the two worlds are one. */
export function ofEach<T>({ old, new: next }: Both<PolicyWorld>, make: (age: Age) => T): Both<T> {
  if (old !== next) return both(make);
  const one = make("new");
  return { old: one, new: one };
}

/** One of them where the two are one. */
export function worldsIn({ old, new: next }: Both<PolicyWorld>): readonly PolicyWorld[] {
  return old === next ? [old] : [old, next];
}

export interface PolicyWorld {
  /** Those in force, not expanded. */
  readonly policies: readonly Policy[];
  readonly facts: Pick<FactStore, "pods" | "namespaces" | "nodes" | "hostNames">;
  /** Those that stand for pods which are not there; none unless given. */
  readonly workloads?: readonly Workload[];
  /** Rules of which it is open whether they match what they apply to; none unless given. */
  readonly open?: OpenRules;
}

export type OpenRules = ReadonlyMap<Rule, OpenRule>;
