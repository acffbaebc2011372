// A cluster whose objects come, go and change at random and whose size stays the same. Names are never used twice, so that
// whatever the program keeps of an object that is gone adds up. Knows no files: it says which documents have changed.

import type { KubernetesObject } from "../../test/kube/api.ts";
import { adminPolicy, baselinePolicy, namespace, node, pod } from "../../test/kube/objects.ts";

interface Space {
  readonly name: string;
  team: number;
  /** By name. */
  readonly pods: Map<string, PodWords>;
}

interface PodWords {
  readonly app: number;
  readonly address: number;
}

interface PolicyWords {
  readonly name: string;
  readonly revision: number;
}

const namespaces = 40;
const podsInNamespace = { least: 6, most: 14 } as const;
const nodes = 20;
const policies = 30;
const teams = 5;
const apps = 5;
/** The API allows it, and the program refuses it. */
const refusedPriority = 100;

export class Cluster {
  readonly #random: () => number;
  readonly #spaces: Space[] = [];
  readonly #nodes: { readonly name: string; pool: number }[] = [];
  readonly #policies: PolicyWords[] = [];
  #refused: string | null = null;
  #baseline = 0;
  #names = 0;
  #addresses = 0;
  readonly #dirty = new Set<string>();

  /** The same seed makes the same objects. */
  constructor(seed: number) {
    this.#random = generator(seed);
    for (let at = 0; at < nodes; at++) this.#nodes.push(this.#newNode());
    for (let at = 0; at < namespaces; at++) this.#spaces.push(this.#newSpace());
    for (let at = 0; at < policies; at++) this.#policies.push(this.#newPolicy(at));
    this.#dirty.add("baseline").add("nodes").add("refused");
  }

  /** One object comes, goes or changes; a namespace takes its pods along. */
  change(): void {
    const dice = this.#random();
    if (dice < 0.8) this.#changePod();
    else if (dice < 0.84) this.#changeNamespace();
    else if (dice < 0.88) this.#changeNode();
    else if (dice < 0.98) this.#changePolicy();
    else this.#changeOddity();
  }

  /** Every document counts as changed. */
  touch(): void {
    for (const { name } of this.#spaces) this.#dirty.add(name);
    for (let at = 0; at < policies; at++) this.#dirty.add(`policy-${at}`);
    this.#dirty.add("baseline").add("nodes").add("refused");
  }

  /** The documents that changed since the last call: name → objects; none of them: the document is gone. */
  takeChanged(): ReadonlyMap<string, readonly KubernetesObject[]> {
    const changed = [...this.#dirty].map((name) => [name, this.#document(name)] as const);
    this.#dirty.clear();
    return new Map(changed);
  }

  /** [namespace, name] of every pod. */
  *pods(): Generator<readonly [string, string]> {
    for (const { name, pods } of this.#spaces) for (const each of pods.keys()) yield [name, each];
  }

  #changePod(): void {
    const space = this.#one(this.#spaces);
    const { pods } = space;
    const name = this.#one([...pods.keys()]);
    const words = pods.get(name);
    const dice = this.#random();
    const isFull = pods.size >= podsInNamespace.most;
    if (pods.size <= podsInNamespace.least || (dice < 0.3 && !isFull)) this.#addPod(space);
    else if (dice < 0.6 || words === undefined) pods.delete(name);
    else if (dice < 0.8) pods.set(name, { ...words, app: words.app + 1 });
    else pods.set(name, { ...words, address: this.#addresses++ });
    this.#dirty.add(space.name);
  }

  #changeNamespace(): void {
    const at = this.#below(this.#spaces.length);
    const space = this.#spaces[at];
    if (space === undefined) return;
    this.#dirty.add(space.name);
    if (this.#random() < 0.5) space.team++;
    else this.#spaces[at] = this.#newSpace();
  }

  #changeNode(): void {
    const at = this.#below(this.#nodes.length);
    const found = this.#nodes[at];
    if (found !== undefined && this.#random() < 0.5) found.pool++;
    else this.#nodes[at] = this.#newNode();
    this.#dirty.add("nodes");
  }

  #changePolicy(): void {
    const at = this.#below(policies);
    const words = this.#policies[at];
    if (words === undefined || this.#random() < 0.3) this.#policies[at] = this.#newPolicy(at);
    else this.#policies[at] = { ...words, revision: words.revision + 1 };
    this.#dirty.add(`policy-${at}`);
  }

  #changeOddity(): void {
    if (this.#random() < 0.5) {
      this.#baseline++;
      this.#dirty.add("baseline");
    } else {
      // Never edited into a good one: of such a one the earlier rows would stay.
      this.#refused = this.#refused === null ? `refused-${this.#names++}` : null;
      this.#dirty.add("refused");
    }
  }

  #newNode() {
    return { name: `node-${this.#names++}`, pool: this.#below(4) };
  }

  #newSpace(): Space {
    const space: Space = { name: `ns-${this.#names++}`, team: this.#below(teams), pods: new Map() };
    for (let pods = 0; pods < 10; pods++) this.#addPod(space);
    this.#dirty.add(space.name);
    return space;
  }

  #newPolicy(at: number): PolicyWords {
    this.#dirty.add(`policy-${at}`);
    return { name: `policy-${this.#names++}`, revision: 0 };
  }

  #addPod({ pods }: Space): void {
    pods.set(`pod-${this.#names++}`, { app: this.#below(apps), address: this.#addresses++ });
  }

  #document(name: string): readonly KubernetesObject[] {
    if (name === "nodes")
      return this.#nodes.map(({ name: each, pool }) =>
        node(each, { labels: { pool: `p${pool % 4}` }, ips: [`172.20.0.${this.#indexOf(each) + 1}`] }),
      );
    if (name === "baseline") return [baselinePolicy(spec(this.#baseline, 0, null))];
    if (name === "refused")
      return this.#refused === null ? [] : [adminPolicy(this.#refused, spec(0, 0, refusedPriority))];
    const [, slot] = /^policy-(\d+)$/.exec(name) ?? [];
    const words = this.#policies[Number(slot ?? -1)];
    if (slot !== undefined && words !== undefined)
      return [adminPolicy(words.name, spec(words.revision, Number(slot), 2 * Number(slot) + 1))];
    const space = this.#spaces.find((each) => each.name === name);
    if (space === undefined) return [];
    const labels = { team: `t${space.team % teams}` };
    return [
      namespace(name, labels),
      ...Array.from(space.pods, ([each, { app, address }]) =>
        pod(name, each, {
          labels: { app: `a${app % apps}` },
          ips: [`10.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`],
          node: this.#nodes[address % nodes]?.name ?? "",
          ports: [{ name: "web", port: 8080 + (address % 3) }],
        }),
      ),
    ];
  }

  #indexOf(name: string): number {
    return this.#nodes.findIndex((each) => each.name === name);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(all: readonly [T, ...T[]] | readonly T[]): T {
    const found = all[this.#below(all.length)];
    if (found === undefined) throw new Error("there is nothing to choose from");
    return found;
  }
}

/** A policy's spec: its rules differ with the slot, its ports and order with the revision. */
function spec(revision: number, slot: number, priority: number | null): unknown {
  const team = (step: number) => ({ namespaces: { matchLabels: { team: `t${(slot + step) % teams}` } } });
  const app = (step: number) => ({
    pods: {
      namespaceSelector: { matchLabels: { team: `t${(slot + step) % teams}` } },
      podSelector: { matchLabels: { app: `a${(slot + revision) % apps}` } },
    },
  });
  const ports = [{ portNumber: { protocol: "TCP", port: 8000 + (revision % 500) } }];
  const rules = (peers: "from" | "to") => [
    { action: "Allow", [peers]: [team(1), app(2)], ports },
    { action: "Deny", [peers]: [app(3)], ports: [{ namedPort: "web" }] },
    { action: "Allow", [peers]: [team(revision % teams)] },
    { action: "Deny", [peers]: peers === "to" ? [{ networks: ["198.18.0.0/15"] }] : [team(4)] },
  ];
  const subject = slot % 2 === 0 ? team(0) : app(0);
  const isBaseline = priority === null;
  return {
    ...(isBaseline ? { subject: { namespaces: {} } } : { priority, subject }),
    ingress: rules("from"),
    egress: [...rules("to"), { action: "Allow", to: [{ nodes: { matchLabels: { pool: "p1" } } }] }],
  };
}

/** Numbers in [0, 1) by the seed (a linear congruential generator with the constants of Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
