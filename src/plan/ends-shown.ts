// How a set of ends is shown: by what the pods have in common and no other pod has, so that people read "2 pods kube-system
// app=dns" and not a list of names. Titles hold users' text as it is; the code that prints them makes it harmless.

import { excerptOf } from "../lib/few.ts";
import type { Ref } from "../analysis/ref.ts";
import type { PodFact, PodKey } from "../model/facts.ts";
import type { Cidr } from "../model/ip.ts";
import { everyAddress, ipFamilies } from "../model/ip.ts";
import { workloadText } from "../model/workload.ts";

/** All of the pods, those of the workloads, and all addresses in the networks that are no pod's. */
export interface Ends {
  readonly title: string;
  readonly pods: readonly PodKey[];
  /** Whose pods are not there yet. */
  readonly workloads: readonly Ref[];
  readonly addresses: readonly Cidr[];
}

const shown = 3;
/** Keys that name an application are first in a title. */
const telling = ["app.kubernetes.io/name", "k8s-app", "app", "name", "role"];

export class Titles {
  readonly #pods: ReadonlyMap<PodKey, PodFact>;
  readonly #nodes: ReadonlyMap<string, string>;
  /** How many pods have a property, by its text. */
  readonly #counts = new Map<string, number>();

  /** `pods`: all that are ends; `nodes`: names by address. */
  constructor(pods: ReadonlyMap<PodKey, PodFact>, nodes: ReadonlyMap<string, string>) {
    this.#pods = pods;
    this.#nodes = nodes;
    for (const pod of pods.values())
      for (const { text } of propertiesOf(pod)) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  of(pods: readonly PodKey[], workloads: readonly Ref[], addresses: readonly Cidr[]): string {
    const parts = [this.#ofPods(pods), ofWorkloads(workloads), this.#ofAddresses(addresses)];
    return parts.filter((part) => part !== null).join(" and ");
  }

  #ofPods(keys: readonly PodKey[]): string | null {
    if (keys.length === 0) return null;
    if (keys.length === this.#pods.size)
      return keys.length === 1 ? String(keys[0]) : `all ${keys.length} pods`;
    const common = this.#inCommon(keys);
    if (common !== null) return `${counted(keys.length)} ${common}`;
    const namespaces = this.#wholeNamespaces(keys);
    if (namespaces !== null) return `${counted(keys.length)} of ${namespaces}`;
    const left = 2 * keys.length > this.#pods.size ? this.#left(new Set(keys)) : null;
    if (left !== null) return `all ${this.#pods.size} pods but ${left}`;
    return keys.length <= shown ? keys.join(", ") : excerptOf(keys.length, keys.slice(0, shown));
  }

  /** What all of the pods have and no other pod does; null: nothing. */
  #inCommon(keys: readonly PodKey[]): string | null {
    const first = this.#pods.get(keys[0] ?? "/");
    if (first === undefined) return null;
    const found = propertiesOf(first).find(
      ({ text, holds }) => this.#counts.get(text) === keys.length && this.#haveAll(keys, holds),
    );
    return found?.text ?? null;
  }

  #haveAll(keys: readonly PodKey[], holds: (pod: PodFact) => boolean): boolean {
    return keys.every((key) => {
      const pod = this.#pods.get(key);
      return pod !== undefined && holds(pod);
    });
  }

  /** The pods that are not chosen; null: they have nothing in common and are many. */
  #left(chosen: ReadonlySet<PodKey>): string | null {
    const others = [...this.#pods.keys()].filter((key) => !chosen.has(key));
    const common = this.#inCommon(others)?.replace(/^of /, "those of ");
    return common ?? (others.length <= shown ? others.join(", ") : null);
  }

  /** Up to three namespaces of which no pod is missing. */
  #wholeNamespaces(keys: readonly PodKey[]): string | null {
    const names = new Set<string>();
    for (const key of keys) {
      names.add(key.slice(0, key.indexOf("/")));
      if (names.size > shown) return null;
    }
    const total = [...names].reduce((sum, name) => sum + (this.#counts.get(`of ${name}`) ?? 0), 0);
    return total === keys.length ? [...names].sort().join(", ") : null;
  }

  #ofAddresses(networks: readonly Cidr[]): string | null {
    if (networks.length === 0) return null;
    const every = ipFamilies.map(everyAddress);
    if (networks.every((network) => every.includes(network))) return "every address that is no pod's";
    const nodes = networks.map((network) => this.#nodes.get(network.slice(0, network.indexOf("/"))) ?? null);
    const isAlone = (network: Cidr) => network.endsWith(network.includes(":") ? "/128" : "/32");
    if (networks.every(isAlone) && nodes.every((name) => name !== null)) {
      const names = [...new Set(nodes)].sort();
      return `${names.length === 1 ? "node" : "nodes"} ${excerptOf(names.length, names.slice(0, shown))}`;
    }
    return excerptOf(networks.length, networks.slice(0, shown));
  }
}

function ofWorkloads(workloads: readonly Ref[]): string | null {
  if (workloads.length === 0) return null;
  const names = workloads.map((one) => workloadText({ ...one, namespace: one.namespace ?? "" }));
  return excerptOf(names.length, names.slice(0, shown));
}

function counted(count: number): string {
  return count === 1 ? "1 pod" : `${count} pods`;
}

interface Property {
  readonly text: string;
  readonly holds: (pod: PodFact) => boolean;
}

/** The plainest first. */
function propertiesOf({ namespace, labels }: PodFact): readonly Property[] {
  const rank = (key: string) => (telling.includes(key) ? telling.indexOf(key) : telling.length);
  const sorted = [...labels].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const inside = (pod: PodFact) => pod.namespace === namespace;
  return [
    { text: `of ${namespace}`, holds: inside },
    ...sorted.map(([key, value]) => ({
      text: `${namespace} ${key}=${value}`,
      holds: (pod: PodFact) => inside(pod) && pod.labels.get(key) === value,
    })),
    ...sorted.map(([key, value]) => ({
      text: `${key}=${value}`,
      holds: (pod: PodFact) => pod.labels.get(key) === value,
    })),
  ];
}
