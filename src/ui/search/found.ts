// What a text names: pods, workloads, Services, namespaces, nodes and policies, by name, kind, address or label. Every word must be
// found; what the words name exactly is first. A few of many, with how many there are.

import { kindWords, textOfWorkload } from "../../analysis/end-query.ts";
import { endOfGroup } from "../../analysis/pod-groups.ts";
import { orderedPolicies } from "../../explain/overview.ts";
import { tierRefOf, tierText } from "../../explain/tiers.ts";
import { compareTexts } from "../../lib/ascending.ts";
import { addressesOfNode, isOnPodNetwork } from "../../model/facts.ts";
import type { Labels } from "../../model/labels.ts";
import type { Service } from "../../model/service.ts";
import { workloadText } from "../../model/workload.ts";
import type { Policy } from "../../policy/ir.ts";
import { policyKey } from "../../policy/ir.ts";
import type { Query } from "../query.ts";
import { limitOf, searchOf } from "../query.ts";
import type { Found, FoundSort, SearchShown } from "../shown/found.ts";
import type { ShownWorld } from "../world.ts";
import { BestOf } from "./best-of.ts";
import type { PodText } from "./pod-texts.ts";
import { hasWords, podsHaving } from "./pod-texts.ts";

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

interface Ranked {
  /** The lower one is first. */
  readonly rank: number;
  readonly sort: FoundSort;
  readonly title: string;
  readonly shown: () => Details;
}

type Details = Omit<Found, "sort" | "title">;

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
  const best = new BestOf<Ranked>(limitOf(query, 50, mostFound), compareRanked);
  if (words.length > 0) for (const one of everything(world, words)) best.add(one);
  const { total, shown } = best.found;
  return {
    revision: world.revision,
    total,
    shown: shown.map(({ sort, title, shown: details }) => ({ sort, title, ...details() })),
  };
}

function compareRanked(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || sorts.indexOf(a.sort) - sorts.indexOf(b.sort) || compareTexts(a.title, b.title);
}

function* everything(world: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  yield* namespacesAndNodes(world, words);
  yield* podsAndOwners(world, words);
  yield* others(world, words);
}

function* namespacesAndNodes({ facts }: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  for (const { name, labels } of facts.namespaces.values()) {
    const rank = rankIn({ name, namespace: null, kind: "namespace", labels, ips: noIps }, words);
    const shown = () => ({ id: name, detail: labelsText(labels) });
    if (rank !== null) yield { rank, sort: "namespace", title: name, shown };
  }
  for (const node of facts.nodes) {
    const { name, labels } = node;
    const ips = addressesOfNode(node);
    const rank = rankIn({ name, namespace: null, kind: "node", labels, ips }, words);
    const shown = () => ({ id: `node/${name}`, detail: ips.join(" ") });
    if (rank !== null) yield { rank, sort: "node", title: name, shown };
  }
}

const workloadKinds = kindWords.flatMap(({ kind }) =>
  typeof kind === "string" ? [] : [kind.kind.toLowerCase()],
);

function* podsAndOwners({ asked }: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  const owners = new Map<string, Ranked>();
  const texts = words.map(({ text }) => text);
  // The name of what made a pod is the beginning of the pod's own; its kind is not among what is searched of the pod.
  const ofPods = texts.filter((text) => !workloadKinds.some((kind) => kind.includes(text)));
  const isAsked = ofPods.length === texts.length;
  for (const one of podsHaving(asked, ofPods)) {
    const rank = isAsked || hasWords(one, texts) ? rankIn({ ...one.pod, kind: "pod" }, words) : null;
    if (rank !== null) yield { rank, sort: "pod", title: one.key, shown: () => podDetails(one) };
    noteOwner(owners, one, words);
  }
  yield* owners.values();
}

function podDetails({ key, pod }: PodText): Details {
  const { ips, labels } = pod;
  const parts = [ips.join(" "), isOnPodNetwork(pod) ? "" : "no policies", labelsText(labels)];
  return { id: key, detail: parts.filter(Boolean).join(" · ") };
}

function noteOwner(owners: Map<string, Ranked>, { pod, workload }: PodText, words: readonly Word[]): void {
  const { group, key } = workload;
  const { title, kind, name, namespace } = group;
  if (kind === null || name === null || owners.has(key)) return;
  const searched = { name, namespace, kind: kind.toLowerCase(), labels: pod.labels, ips: noIps };
  const rank = rankIn(searched, words);
  if (rank === null) return;
  const end = endOfGroup(group);
  const shown = () => ({ id: end ?? namespace, detail: "with pods", isEnd: end !== null });
  owners.set(key, { rank, sort: "workload", title: `${title} (${kind})`, shown });
}

function* others({ asked }: ShownWorld, words: readonly Word[]): Generator<Ranked> {
  for (const made of asked.workloads) {
    const { name, namespace, kind, template } = made;
    const searched = { name, namespace, kind: kind.toLowerCase(), labels: template.labels, ips: noIps };
    const rank = rankIn(searched, words);
    const shown = () => ({ id: textOfWorkload(made), detail: "without pods", isEnd: true });
    if (rank !== null) yield { rank, sort: "workload", title: workloadText(made), shown };
  }
  for (const service of asked.services) {
    const { name, namespace, ips } = service;
    const rank = rankIn({ name, namespace, kind: "service svc", labels: noLabels, ips }, words);
    const shown = () => serviceDetails(service);
    if (rank !== null) yield { rank, sort: "service", title: `${namespace}/${name}`, shown };
  }
  for (const { policy } of orderedPolicies(asked)) {
    const { group, kind, namespace, name } = policy.ref;
    const ofKind = `${kind}.${group}`.toLowerCase();
    const rank = rankIn({ name, namespace, kind: ofKind, labels: noLabels, ips: noIps }, words);
    const title = namespace === null ? name : `${namespace}/${name}`;
    if (rank !== null) yield { rank, sort: "policy", title, shown: () => policyDetails(policy) };
  }
}

function serviceDetails({ namespace, name, ips, ports }: Service): Details {
  const numbers = ports.map(({ protocol, port }) => `${protocol} ${port}`);
  return { id: `${namespace}/svc/${name}`, detail: [...ips, ...numbers].join(" ") };
}

function policyDetails(policy: Policy): Details {
  const { group, kind, namespace, name } = policy.ref;
  return {
    ...{ id: policyKey(policy.ref), detail: `tier ${tierText(tierRefOf(policy))}` },
    policy: { group, kind, namespace, name },
  };
}

/** Of the word that is found worst; null: one is not found. */
function rankIn(searched: Searched, words: readonly Word[]): number | null {
  let worst = 0;
  for (const word of words) {
    const rank = rankOf(searched, word);
    if (rank === null) return null;
    worst = Math.max(worst, rank);
  }
  return worst;
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
