// Pods by a part of their name or address: a few of many, and how many there are. For people who type.

import { isOnPodNetwork } from "../model/facts.ts";
import type { PodFact } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";

export interface FoundPod {
  /** `namespace/name` */
  readonly pod: string;
  readonly node: string | null;
  readonly ips: readonly string[];
  /** Policies do not apply to it. */
  readonly exempt: boolean;
}

export interface FoundPods {
  /** How many there are in all. */
  readonly total: number;
  /** Names that begin with the text are first; otherwise in the order of their names. */
  readonly pods: readonly FoundPod[];
}

/** Every word of the text must be in the pod's name, its namespace or one of its addresses; no text: every pod. */
export function findPods({ pods }: Pick<FactStore, "pods">, text: string, limit: number): FoundPods {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ""] = words;
  const found: { readonly key: string; readonly pod: PodFact; readonly rank: number }[] = [];
  for (const [key, pod] of pods) {
    if (!words.every((word) => key.includes(word) || pod.ips.some((ip) => ip.includes(word)))) continue;
    const isFirst = key.startsWith(first) || pod.name.startsWith(first) || pod.ips.some((ip) => ip === first);
    found.push({ key, pod, rank: isFirst ? 0 : 1 });
  }
  found.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  const shown = found.slice(0, limit).map(({ key, pod }) => ({
    ...{ pod: key, node: pod.node, ips: pod.ips, exempt: !isOnPodNetwork(pod) },
  }));
  return { total: found.length, pods: shown };
}
