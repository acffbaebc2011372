// Pods, and workloads that stand for pods, by a part of their name or address: a few of many, and how many there are. For people who
// type.

import { textOfWorkload } from "../../analysis/end-query.ts";
import type { AskedWorld } from "../../explain/asked.ts";
import { compareTexts } from "../../lib/ascending.ts";
import { isOnPodNetwork } from "../../model/facts.ts";
import type { PodFact } from "../../model/facts.ts";
import type { Workload } from "../../model/workload.ts";
import { workloadText } from "../../model/workload.ts";
import { BestOf } from "./best-of.ts";
import { podsHaving } from "./pod-texts.ts";

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

interface Candidate {
  readonly key: string;
  /** The lower one is first. */
  readonly rank: number;
  readonly shown: () => FoundPod;
}

/** Every word of the text must be in the name, the namespace or one of the addresses; no text: all. */
export function findPods(asked: AskedWorld, text: string, limit: number): FoundPods {
  const words = [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))];
  const [first = ""] = words;
  const best = new BestOf<Candidate>(limit, (a, b) => a.rank - b.rank || compareTexts(a.key, b.key));
  const isMeant = (key: string, ips: readonly string[]): boolean =>
    words.every((word) => key.includes(word) || ips.some((ip) => ip.includes(word)));
  const rankOf = (key: string, name: string, ips: readonly string[]): number =>
    key.startsWith(first) || name.startsWith(first) || ips.includes(first) ? 0 : 1;
  for (const { key, pod } of podsHaving(asked, words))
    if (isMeant(key, pod.ips))
      best.add({ key, rank: rankOf(key, pod.name, pod.ips), shown: () => foundPod(key, pod) });
  for (const workload of asked.workloads) {
    const key = searchedText(workload);
    if (isMeant(key, []))
      best.add({ key, rank: rankOf(key, workload.name, []), shown: () => foundWorkload(workload) });
  }
  const { total, shown } = best.found;
  return { total, pods: shown.map((one) => one.shown()) };
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
