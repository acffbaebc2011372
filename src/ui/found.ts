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
  readonly labels?: Labels;
  readonly ips?: readonly string[];
}

interface Ranked {
  readonly rank: number;
  readonly found: Found;
}

/** By `q`; no word finds nothing. */
export function search(world: ShownWorld, query: Query): SearchShown {
  const words = searchOf(query, "q").toLowerCase().split(/\s+/).filter(Boolean);
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

function* everything(world: ShownWorld, words: readonly string[]): Generator<Ranked> {
  yield* namespacesAndNodes(world, words);
  yield* podsAndOwners(world, words);
  yield* others(world, words);
}

function* namespacesAndNodes({ facts }: ShownWorld, words: readonly string[]): Generator<Ranked> {
  for (const { name, labels } of facts.namespaces.values())
    yield* ranked({ name, namespace: null, kind: "namespace", labels }, words, () => ({
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

function* podsAndOwners({ facts }: ShownWorld, words: readonly string[]): Generator<Ranked> {
  const owners = new Map<string, Ranked>();
  const hasKind = words.some((word) => workloadKinds.some((kind) => kind.includes(word)));
  for (const [key, pod] of facts.pods) {
    const { name, namespace, labels, ips } = pod;
    const found = [
      ...ranked({ name, namespace, kind: "pod", labels, ips }, words, () => ({
        ...{ sort: "pod", id: key, title: key },
        detail: [ips.join(" "), isOnPodNetwork(pod) ? "" : "no policies", labelsText(labels)]
          .filter(Boolean)
          .join(" · "),
      })),
    ];
    yield* found;
    // The name of what made a pod is the beginning of the pod's own; its kind is not among what is searched of the pod.
    if (found.length > 0 || hasKind) noteOwner(owners, pod, words);
  }
  yield* owners.values();
}

function noteOwner(owners: Map<string, Ranked>, pod: PodFact, words: readonly string[]): void {
  const group = podGroupOf(pod);
  const { title, kind, name, namespace } = group;
  const key = `${kind ?? ""} ${title}`;
  if (kind === null || name === null || owners.has(key)) return;
  const [found] = ranked({ name, namespace, kind: kind.toLowerCase(), labels: pod.labels }, words, () => ({
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

function* others(world: ShownWorld, words: readonly string[]): Generator<Ranked> {
  const { asked } = world;
  for (const made of asked.workloads) {
    const { name, namespace, kind, template } = made;
    yield* ranked({ name, namespace, kind: kind.toLowerCase(), labels: template.labels }, words, () => ({
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
    yield* ranked({ name, namespace, kind: "service svc", ips }, words, () => ({
      ...{ sort: "service", id: `${namespace}/svc/${name}`, title: `${namespace}/${name}` },
      detail: [...ips, ...ports.map(({ protocol, port }) => `${protocol} ${port}`)].join(" "),
    }));
  for (const { policy } of orderedPolicies(asked)) {
    const { group, kind, namespace, name } = policy.ref;
    yield* ranked({ name, namespace, kind: `${kind}.${group}`.toLowerCase() }, words, () => ({
      ...{
        sort: "policy",
        id: policyKey(policy.ref),
        title: namespace === null ? name : `${namespace}/${name}`,
      },
      ...{ detail: `tier ${tierText(tierRefOf(policy))}`, policy: { group, kind, namespace, name } },
    }));
  }
}

function* ranked(searched: Searched, words: readonly string[], shown: () => Found): Generator<Ranked> {
  let worst = 0;
  for (const word of words) {
    const rank = rankOf(searched, word);
    if (rank === null) return;
    worst = Math.max(worst, rank);
  }
  yield { rank: worst, found: shown() };
}

/**
 * How well one word, in lower case, is found; null: it is not.
 * 0: it is the name or an address. 1: the name begins with it, or it is a label. 2: it is in the name, or is the namespace.
 * 3: a part of the namespace, the kind, an address, or a label's beginning or value.
 */
function rankOf({ name, namespace, kind, labels, ips = [] }: Searched, word: string): number | null {
  const own = name.toLowerCase();
  const whole = `${namespace ?? ""}/${own}`;
  const home = namespace ?? "";
  const label = labels === undefined ? null : labelRank(labels, word);
  const ranks = [
    own === word || whole === word || ips.includes(word),
    own.startsWith(word) || label === 1,
    own.includes(word) || home === word || whole.startsWith(word),
    home.includes(word) || kind.includes(word) || ips.some((ip) => ip.startsWith(word)) || label === 3,
  ];
  const rank = ranks.indexOf(true);
  return rank < 0 ? null : rank;
}

/** `key=value` is the label, or begins it; a word without = is a value. */
function labelRank(labels: Labels, word: string): 1 | 3 | null {
  let found: 3 | null = null;
  const hasKey = word.includes("=");
  for (const [key, value] of labels) {
    const text = (hasKey ? `${key}=${value}` : value).toLowerCase();
    if (hasKey && text === word) return 1;
    if (hasKey ? text.startsWith(word) : text === word) found = 3;
  }
  return found;
}

const mostLabels = 4;

function labelsText(labels: Labels): string {
  const texts = [...labels].map(([key, value]) => `${key}=${value}`);
  return texts.length <= mostLabels ? texts.join(" ") : `${texts.slice(0, mostLabels).join(" ")} …`;
}
