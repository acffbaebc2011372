// What a text names: pods, workloads, Services, namespaces, nodes and policies, by name, kind, address or label. Every word must be
// found; what the words name exactly is first. A few of many, with how many there are.

import { kindWords, textOfWorkload } from "../analysis/end-query.ts";
import { endOfGroup, podGroupOf } from "../analysis/pod-groups.ts";
import { orderedPolicies } from "../explain/overview.ts";
import { tierRefOf, tierText } from "../explain/tiers.ts";
import type { PodFact } from "../model/facts.ts";
import { addressesOfNode, isOnPodNetwork } from "../model/facts.ts";
import type { Labels } from "../model/labels.ts";
import { workloadText } from "../model/workload.ts";
import { policyKey } from "../policy/ir.ts";
import { excerpt } from "./excerpt.ts";
import type { Query } from "./query.ts";
import { limitOf, searchOf } from "./query.ts";
import type { Found, FoundSort, SearchShown } from "./shown/found.ts";
import type { ShownWorld } from "./world.ts";

const mostFound = 100;

/** In this order, where they are found equally well. */
const sorts: readonly FoundSort[] = ["namespace", "policy", "workload", "service", "pod", "node"];

interface Searched {
  readonly name: string;
  readonly namespace: string | null;
  /** Words of the kind, in lower case. */
  readonly kind: string;
  readonly labels: Labels;
  readonly ips: readonly string[];
}

const noLabels: Labels = new Map();
const noIps: readonly string[] = [];
const nothing: readonly Ranked[] = [];

interface Ranked {
  readonly rank: number;
  readonly found: Found;
}

/** In lower case. */
interface Word {
  readonly text: string;
  readonly hasSlash: boolean;
  /** Of `key=value`, which need not be whole; null: it has no `=`. */
  readonly label: readonly [key: string, value: string] | null;
}

function wordOf(text: string): Word {
  const at = text.indexOf("=");
  return {
    ...{ text, hasSlash: text.includes("/") },
    label: at < 0 ? null : [text.slice(0, at), text.slice(at + 1)],
  };
}

/** By `q`; no word finds nothing. */
export function search(world: ShownWorld, query: Query): SearchShown {
  const words = searchOf(query, "q").toLowerCase().split(/\s+/).filter(Boolean).map(wordOf);
  const all = words.length === 0 ? [] : [...everything(world, words)];
  all.sort(
    (a, b) => a.rank - b.rank || orderOf(a.found) - orderOf(b.found) || compare(a.found.title, b.found.title),
  );
  return {
    revision: world.revision,
    ...excerpt(
      all.map(({ found }) => found),
      limitOf(query, 50, mostFound),
    ),
  };
}

function orderOf({ sort }: Found): number {
  return sorts.indexOf(sort);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function* everything(world: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  yield* namespacesAndNodes(world, words);
  yield* podsAndOwners(world, words);
  yield* others(world, words);
}

function* namespacesAndNodes({ facts }: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  for (const { name, labels } of facts.namespaces.values())
    yield* ranked({ name, namespace: null, kind: "namespace", labels, ips: noIps }, words, () => ({
      ...{ sort: "namespace", id: name, title: name, detail: labelsText(labels) },
    }));
  for (const node of facts.nodes) {
    const ips = addressesOfNode(node);
    yield* ranked(
      { name: node.name, namespace: null, kind: "node", labels: node.labels, ips },
      words,
      () => ({
        ...{ sort: "node", id: `node/${node.name}`, title: node.name, detail: ips.join(" ") },
      }),
    );
  }
}

const workloadKinds = kindWords.flatMap(({ kind }) =>
  typeof kind === "string" ? [] : [kind.kind.toLowerCase()],
);

function* podsAndOwners({ facts }: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  const owners = new Map<string, Ranked>();
  const hasKind = words.some(({ text }) => workloadKinds.some((kind) => kind.includes(text)));
  for (const [key, pod] of facts.pods) {
    const text = searchedText(pod);
    const found = words.every((word) => text.includes(word.text)) ? rankedPod(key, pod, words) : nothing;
    yield* found;
    // The name of what made a pod is the beginning of the pod's own; its kind is not among what is searched of the pod.
    if (found.length > 0 || hasKind) noteOwner(owners, pod, words);
  }
  yield* owners.values();
}

const searchedTexts = new WeakMap<PodFact, string>();

/** All in which a word of a pod is found: most pods have no word of it, and are not looked at any closer. */
function searchedText(pod: PodFact): string {
  const known = searchedTexts.get(pod);
  if (known !== undefined) return known;
  const labels = Array.from(pod.labels, ([key, value]) => `${key}=${value}`);
  const text = ["pod", `${pod.namespace}/${pod.name}`, ...pod.ips, ...labels].join(" ").toLowerCase();
  searchedTexts.set(pod, text);
  return text;
}

function rankedPod(key: string, pod: PodFact, words: readonly Word[]): readonly Ranked[] {
  const { name, namespace, labels, ips } = pod;
  return ranked({ name, namespace, kind: "pod", labels, ips }, words, () => ({
    ...{ sort: "pod", id: key, title: key },
    detail: [ips.join(" "), isOnPodNetwork(pod) ? "" : "no policies", labelsText(labels)]
      .filter(Boolean)
      .join(" · "),
  }));
}

function noteOwner(owners: Map<string, Ranked>, pod: PodFact, words: readonly Word[]): void {
  const group = podGroupOf(pod);
  const { title, kind, name, namespace } = group;
  const key = `${kind ?? ""} ${title}`;
  if (kind === null || name === null || owners.has(key)) return;
  const searched = { name, namespace, kind: kind.toLowerCase(), labels: pod.labels, ips: noIps };
  const [found] = ranked(searched, words, () => ({
    ...{
      sort: "workload",
      id: endOfGroup(group) ?? namespace,
      title: `${title} (${kind})`,
      detail: "with pods",
    },
    isEnd: endOfGroup(group) !== null,
  }));
  if (found !== undefined) owners.set(key, found);
}

function* others(world: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  const { asked } = world;
  for (const made of asked.workloads) {
    const { name, namespace, kind, template } = made;
    const searched = { name, namespace, kind: kind.toLowerCase(), labels: template.labels, ips: noIps };
    yield* ranked(searched, words, () => ({
      ...{
        sort: "workload",
        id: textOfWorkload(made),
        title: workloadText(made),
        detail: "without pods",
        isEnd: true,
      },
    }));
  }
  for (const { name, namespace, ips, ports } of asked.services)
    yield* ranked({ name, namespace, kind: "service svc", labels: noLabels, ips }, words, () => ({
      ...{ sort: "service", id: `${namespace}/svc/${name}`, title: `${namespace}/${name}` },
      detail: [...ips, ...ports.map(({ protocol, port }) => `${protocol} ${port}`)].join(" "),
    }));
  for (const { policy } of orderedPolicies(asked)) {
    const { group, kind, namespace, name } = policy.ref;
    const ofKind = `${kind}.${group}`.toLowerCase();
    yield* ranked({ name, namespace, kind: ofKind, labels: noLabels, ips: noIps }, words, () => ({
      ...{
        sort: "policy",
        id: policyKey(policy.ref),
        title: namespace === null ? name : `${namespace}/${name}`,
      },
      ...{ detail: `tier ${tierText(tierRefOf(policy))}`, policy: { group, kind, namespace, name } },
    }));
  }
}

/** None, or one. */
function ranked(searched: Searched, words: readonly Word[], shown: () => Found): readonly Ranked[] {
  let worst = 0;
  for (const word of words) {
    const rank = rankOf(searched, word);
    if (rank === null) return nothing;
    worst = Math.max(worst, rank);
  }
  return [{ rank: worst, found: shown() }];
}

/**
 * How well a word is found; null: it is not. A large cluster asks it of each pod: what is cheap and often decides comes first.
 * 0: it is the name or an address. 1: the name begins with it, or it is a label. 2: it is in the name, or is the namespace.
 * 3: a part of the namespace, the kind, an address, or a label's beginning or value.
 */
function rankOf(searched: Searched, { text, hasSlash, label }: Word): number | null {
  // No name and no address has a `=`.
  if (label !== null) return labelRank(searched.labels, label);
  const { name, namespace, ips } = searched;
  const [own, home] = [name.toLowerCase(), namespace ?? ""];
  const path = hasSlash ? `${home}/${own}` : home;
  if (own === text || ips.includes(text) || (hasSlash && path === text)) return 0;
  if (own.startsWith(text)) return 1;
  if (own.includes(text) || home === text || path.startsWith(text)) return 2;
  return isPartOf(searched, text) ? 3 : null;
}

function isPartOf({ namespace, kind, ips, labels }: Searched, text: string): boolean {
  if (kind.includes(text) || namespace?.includes(text) === true) return true;
  if (ips.some((ip) => ip.startsWith(text))) return true;
  for (const value of labels.values()) if (value.toLowerCase() === text) return true;
  return false;
}

/** 1: it is the label. 3: it begins the label. */
function labelRank(labels: Labels, [wanted, text]: readonly [key: string, value: string]): 1 | 3 | null {
  let found: 3 | null = null;
  for (const [key, value] of labels) {
    if (key.toLowerCase() !== wanted) continue;
    const own = value.toLowerCase();
    if (own === text) return 1;
    if (own.startsWith(text)) found = 3;
  }
  return found;
}

const mostLabels = 4;

function labelsText(labels: Labels): string {
  const texts = [...labels].map(([key, value]) => `${key}=${value}`);
  return texts.length <= mostLabels ? texts.join(" ") : `${texts.slice(0, mostLabels).join(" ")} …`;
}
