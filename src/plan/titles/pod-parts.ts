// Pods as parts of their namespaces: the whole of one, those with a label, those without one, or a list. Equal lists of pods are
// taken apart once, because classes repeat them.

import { isGiven, plainestFirst, tellingKeys } from "../../analysis/plainest-first.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";

/** Pods of one namespace. */
export interface Part {
  readonly namespace: string;
  /** `label`: exactly the pods with it; `but`: exactly those without it; `pods`: neither. */
  readonly how: "whole" | "label" | "but" | "pods";
  /** Of a label: `KEY=VALUE`. */
  readonly text: string;
  readonly pods: readonly PodKey[];
}

const mostValues = 3;

export class PodParts {
  readonly #pods: ReadonlyMap<PodKey, PodFact>;
  readonly #homes: ReadonlyMap<string, readonly PodKey[]>;
  readonly #known = { of: new Known(), left: new Known() };

  /** `pods`: all that are ends. */
  constructor(pods: ReadonlyMap<PodKey, PodFact>) {
    this.#pods = pods;
    this.#homes = Map.groupBy(pods.keys(), namespaceOf);
  }

  /** How many namespaces have pods. */
  get homes(): number {
    return this.#homes.size;
  }

  /** Lists of pods that were taken apart; tests count them. */
  get made(): number {
    return this.#known.of.made + this.#known.left.made;
  }

  /** Whether the namespace has some. */
  isHome(namespace: string): boolean {
    return this.#homes.has(namespace);
  }

  get total(): number {
    return this.#pods.size;
  }

  /** `other`: a pod that is none of them because it is the other end; it is missing in no namespace. */
  of(pods: readonly PodKey[], other: PodKey | null = null): readonly Part[] {
    return this.#known.of.get(pods, other, () => this.#partsOf(pods, other));
  }

  isAll(pods: readonly PodKey[], other: PodKey | null = null): boolean {
    const isMissing = other !== null && this.#pods.has(other) && !pods.includes(other);
    return pods.length === this.total - (isMissing ? 1 : 0);
  }

  /** The parts of all other pods. */
  left(pods: readonly PodKey[], other: PodKey | null = null): readonly Part[] {
    return this.#known.left.get(pods, other, () => {
      const chosen = new Set(pods);
      const others = [...this.#pods.keys()].filter((key) => !chosen.has(key) && key !== other);
      return this.#partsOf(others, other);
    });
  }

  /** A label that names an application and that all of the pods have; null: there is none. */
  tellingOf(pods: readonly PodKey[]): string | null {
    const [first] = this.#factsOf(pods);
    const labels = first === undefined ? [] : labelsOf(first).filter(({ key }) => tellingKeys.includes(key));
    return labels.find((label) => this.#factsOf(pods).every((pod) => has(pod, label)))?.text ?? null;
  }

  #partsOf(pods: readonly PodKey[], other: PodKey | null): readonly Part[] {
    return [...Map.groupBy(pods, namespaceOf)].map(([namespace, own]) => {
      const chosen = new Set(own);
      const all = (this.#homes.get(namespace) ?? []).filter((key) => key !== other || chosen.has(key));
      const common = { namespace, pods: own };
      if (all.length === own.length) return { ...common, how: "whole", text: "" };
      const rest = all.filter((key) => !chosen.has(key));
      const [inside, others] = [this.#factsOf(own), this.#factsOf(rest)];
      for (const most of [1, mostValues]) {
        const label = labelOf(inside, others, most);
        if (label !== null) return { ...common, how: "label", text: label };
        const without = own.length === 1 ? null : labelOf(others, inside, most);
        if (without !== null) return { ...common, how: "but", text: without };
      }
      return { ...common, how: "pods", text: "" };
    });
  }

  #factsOf(pods: readonly PodKey[]): readonly PodFact[] {
    return pods.flatMap((key) => this.#pods.get(key) ?? []);
  }
}

/** A label, or up to `most` values of one, that all of the pods have and none of the others. */
function labelOf(pods: readonly PodFact[], others: readonly PodFact[], most: number): string | null {
  const [first] = pods;
  if (first === undefined) return null;
  for (const { key } of labelsOf(first)) {
    // Names of pods are plainer.
    if (isGiven(key) && (pods.length === 1 || most > 1)) continue;
    const values = valuesOf(pods, key, most);
    if (values === null || others.some(({ labels }) => values.has(labels.get(key)))) continue;
    const names = [...values].sort().join();
    return values.size === 1 ? `${key}=${names}` : `${key} in (${names})`;
  }
  return null;
}

/** null: a pod lacks the label, or there are more than `most` values. */
function valuesOf(
  pods: readonly PodFact[],
  key: string,
  most: number,
): ReadonlySet<string | undefined> | null {
  const values = new Set<string | undefined>();
  for (const { labels } of pods) {
    values.add(labels.get(key));
    if (values.size > most) return null;
  }
  return values.has(undefined) ? null : values;
}

class Known {
  readonly #lists = new WeakMap<readonly PodKey[], Map<PodKey | null, readonly Part[]>>();
  made = 0;

  get(pods: readonly PodKey[], other: PodKey | null, make: () => readonly Part[]): readonly Part[] {
    const known = this.#lists.get(pods) ?? new Map<PodKey | null, readonly Part[]>();
    this.#lists.set(pods, known);
    const found = known.get(other);
    if (found !== undefined) return found;
    const made = make();
    known.set(other, made);
    this.made += 1;
    return made;
  }
}

interface Label {
  readonly key: string;
  readonly value: string;
  readonly text: string;
}

/** The plainest first. */
function labelsOf({ labels }: PodFact): readonly Label[] {
  return plainestFirst(labels).map(([key, value]) => ({ key, value, text: `${key}=${value}` }));
}

function has({ labels }: PodFact, { key, value }: Label): boolean {
  return labels.get(key) === value;
}

export function namespaceOf(key: PodKey): string {
  return key.slice(0, key.indexOf("/"));
}
