// Workloads in words: a few by their names, more by whole namespaces, so that people read "all 20 workloads of 10 namespaces".

import type { Ref } from "../../analysis/ref.ts";
import { numberText } from "../../lib/counted.ts";
import { excerptOf } from "../../lib/text/few.ts";
import { workloadText } from "../../model/workload.ts";
import { namespacesText, shown } from "./few-ends.ts";

export class WorkloadWords {
  /** How many ends each namespace has. */
  readonly #homes: ReadonlyMap<string | null, number>;

  /** `workloads`: all that are ends. */
  constructor(workloads: readonly Ref[]) {
    this.#homes = new Map(
      [...Map.groupBy(workloads, ({ namespace }) => namespace)].map(([home, own]) => [home, own.length]),
    );
  }

  /** null: there is none. */
  of(workloads: readonly Ref[]): string | null {
    if (workloads.length === 0) return null;
    const names = workloads.map((one) => workloadText({ ...one, namespace: one.namespace ?? "" }));
    const homes = Map.groupBy(workloads, ({ namespace }) => namespace);
    const isWhole = [...homes].every(([home, own]) => own.length === this.#homes.get(home));
    if (workloads.length <= shown || !isWhole) return excerptOf(names.length, names.slice(0, shown));
    const spaces = Array.from(homes.keys(), (home) => home ?? "");
    return `all ${numberText(names.length)} workloads of ${namespacesText(spaces)}`;
  }

  /** Namespaces of which some workloads are not among these; `isWhole`: all of them. */
  left(workloads: readonly Ref[]): readonly { readonly namespace: string; readonly isWhole: boolean }[] {
    const own = Map.groupBy(workloads, ({ namespace }) => namespace);
    return [...this.#homes].flatMap(([namespace, count]) => {
      const chosen = own.get(namespace)?.length ?? 0;
      return chosen === count ? [] : [{ namespace: namespace ?? "", isWhole: chosen === 0 }];
    });
  }

  homesOf(workloads: readonly Ref[]): number {
    return new Set(workloads.map(({ namespace }) => namespace)).size;
  }

  /** Whether it has some. */
  isHome(namespace: string): boolean {
    return this.#homes.has(namespace);
  }
}
