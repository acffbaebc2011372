// What words are looked for in of each pod: one text in lower case, made once for as long as the pod is the same. After a change
// only the texts of pods that changed are made. Most pods have no word that is asked for, and are not looked at any closer.

import type { PodGroup } from "../../analysis/pod-groups.ts";
import { podGroupOf } from "../../analysis/pod-groups.ts";
import type { AskedWorld } from "../../explain/asked.ts";
import type { PodFact, PodKey } from "../../model/facts.ts";
import { podKey } from "../../model/facts.ts";

/** A pod with its workload, which is found when it is asked for, once. */
export class PodText {
  readonly key: PodKey;
  readonly pod: PodFact;
  readonly text: string;
  #workload: { readonly group: PodGroup; readonly key: string } | null = null;

  constructor(pod: PodFact) {
    this.key = podKey(pod.namespace, pod.name);
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

/** The texts of the pods of a namespace. */
export class PodTexts {
  readonly pods: readonly PodFact[];
  /** In the order of the pods. */
  readonly all: readonly PodText[];
  /** All texts as one, in which a word is found faster than in each; no word has a line break. */
  readonly #joined: string;

  /** `before`: of the same pods as they were. */
  constructor(pods: readonly PodFact[], before: readonly PodText[]) {
    this.pods = pods;
    this.all = podTextsOf(pods, before);
    this.#joined = this.all.map(({ text }) => text).join("\n");
  }

  /** Those that have every word, in lower case and without spaces; no word: all. */
  *having(words: readonly string[]): Generator<PodText> {
    // The longest is found in the fewest.
    const word = words.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
    let found = this.#joined.indexOf(word);
    let end = -1;
    for (const one of this.all) {
      if (found < 0) return;
      end += 1 + one.text.length;
      if (found > end) continue;
      if (hasWords(one, words)) yield one;
      found = this.#joined.indexOf(word, end + 1);
    }
  }
}

type ByNamespace = ReadonlyMap<string, PodTexts>;

/** Those that were made last, by the map of the pods. */
const last = new WeakMap<AskedWorld["facts"]["pods"], ByNamespace>();

/** Those that have every word, in lower case and without spaces, namespace by namespace; no word: all. */
export function* podsHaving({ podIndex, facts }: AskedWorld, words: readonly string[]): Generator<PodText> {
  const before = last.get(facts.pods);
  const now: ByNamespace = new Map(
    Iterator.from(podIndex.namespaces()).map(([namespace, pods]) => {
      const known = before?.get(namespace);
      return [namespace, known?.pods === pods ? known : new PodTexts(pods, known?.all ?? [])];
    }),
  );
  last.set(facts.pods, now);
  for (const texts of now.values()) yield* texts.having(words);
}

/** `before`: of the same pods as they were. */
export function podTextsOf(pods: readonly PodFact[], before: readonly PodText[]): readonly PodText[] {
  const known = new Map(before.map((one) => [one.pod, one]));
  return pods.map((pod) => known.get(pod) ?? new PodText(pod));
}

/** Whether every word, in lower case, is in the pod's text. */
export function hasWords({ text }: PodText, words: readonly string[]): boolean {
  for (const word of words) if (!text.includes(word)) return false;
  return true;
}
