// What words are looked for in of each pod: one text in lower case, made once for as long as the pod is the same. After a change
// only the texts of pods that changed are made. Most pods have no word that is asked for, and are not looked at any closer.

import type { PodGroup } from "../../analysis/pod-groups.ts";
import { podGroupOf } from "../../analysis/pod-groups.ts";
import type { AskedWorld } from "../../explain/asked.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";

/** A pod with its workload, which is found when it is asked for, once. */
export class PodText {
  readonly key: PodKey;
  readonly pod: PodFact;
  readonly text: string;
  #workload: { readonly group: PodGroup; readonly key: string } | null = null;

  constructor(key: PodKey, pod: PodFact) {
    this.key = key;
    this.pod = pod;
    this.text = textOf(pod);
  }

  /** The key is equal for pods of one workload. */
  get workload(): { readonly group: PodGroup; readonly key: string } {
    const group = this.#workload?.group ?? podGroupOf(this.pod);
    return (this.#workload ??= { group, key: `${group.kind ?? ""} ${group.title}` });
  }
}

function textOf({ namespace, name, ips, labels }: PodFact): string {
  const pairs = Array.from(labels, ([key, value]) => `${key}=${value}`);
  return ["pod", `${namespace}/${name}`, ...ips, ...pairs].join(" ").toLowerCase();
}

/** A world that is asked does not change. */
const ofWorld = new WeakMap<AskedWorld, readonly PodText[]>();
/** Those that were made last, by the pods, which stay the same map when some of them change. */
const last = new WeakMap<AskedWorld["facts"]["pods"], readonly PodText[]>();

/** In the order of the pods. */
export function podTexts(asked: AskedWorld): readonly PodText[] {
  const known = ofWorld.get(asked);
  if (known !== undefined) return known;
  const { pods } = asked.facts;
  const made = podTextsOf(pods, last.get(pods) ?? []);
  ofWorld.set(asked, made);
  last.set(pods, made);
  return made;
}

/** `before`: of the same map as it was. What is new is at the end of a map, so one look at each of both finds all that stayed. */
export function podTextsOf(
  pods: ReadonlyMap<PodKey, PodFact>,
  before: readonly PodText[],
): readonly PodText[] {
  let at = 0;
  const made: PodText[] = [];
  for (const [key, pod] of pods) {
    while (at < before.length && before[at]?.key !== key) at++;
    const known = before[at];
    made.push(known?.pod === pod ? known : new PodText(key, pod));
  }
  return made;
}

/** Whether every word, in lower case, is in the pod's text. */
export function hasWords({ text }: PodText, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}
