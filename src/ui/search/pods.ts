// Pods, and workloads that stand for pods, by a part of their name or address: a few of many, and how many there are. For people who
// type.

import { textOfWorkload } from "../analysis/end-query.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { PodFact } from "../model/facts.ts";
import type { FactStore } from "../model/fact-store.ts";
import type { Workload } from "../model/workload.ts";
import { workloadText } from "../model/workload.ts";

export interface FoundPod {
  /** `namespace/name`, or of a workload what asks for it: `namespace/deploy/name`. */
  readonly pod: string;
  /** As people call it: `shop/web (Deployment)`. */
  readonly title: string;
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

export interface Findable {
  readonly facts: Pick<FactStore, "pods">;
  readonly workloads: readonly Workload[];
}

/** Every word of the text must be in the name, the namespace or one of the addresses; no text: all. */
export function findPods({ facts: { pods }, workloads }: Findable, text: string, limit: number): FoundPods {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  const [first = ""] = words;
  const found: { readonly key: string; readonly shown: () => FoundPod; readonly rank: number }[] = [];
  const look = (key: string, name: string, ips: readonly string[], shown: () => FoundPod): void => {
    if (!words.every((word) => key.includes(word) || ips.some((ip) => ip.includes(word)))) return;
    const isFirst = key.startsWith(first) || name.startsWith(first) || ips.some((ip) => ip === first);
    found.push({ key, shown, rank: isFirst ? 0 : 1 });
  };
  for (const [key, pod] of pods) look(key, pod.name, pod.ips, () => foundPod(key, pod));
  for (const workload of workloads)
    look(searchedText(workload), workload.name, [], () => foundWorkload(workload));
  found.sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  return { total: found.length, pods: found.slice(0, limit).map(({ shown }) => shown()) };
}

function foundPod(key: string, pod: PodFact): FoundPod {
  return { pod: key, title: key, node: pod.node, ips: pod.ips, exempt: !isOnPodNetwork(pod) };
}

function foundWorkload(workload: Workload): FoundPod {
  return { pod: textOfWorkload(workload), title: workloadText(workload), node: null, ips: [], exempt: false };
}

/** By its name, by its kind, and as it is asked for. */
function searchedText(workload: Workload): string {
  return `${workloadText(workload)} ${textOfWorkload(workload)}`.toLowerCase();
}
