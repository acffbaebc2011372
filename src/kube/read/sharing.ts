// Shares equal values between facts: replicas share their label map, pods of a node its name, of a namespace its name,
// of a workload their ports. Bounded: values that the cache drops are only shared less. Never changes a fact's values.

import { LRUCache } from "lru-cache";
import type { NamedPort } from "../../model/facts.ts";
import type { Labels } from "../../model/labels.ts";
import { canonicalLabels } from "../../model/labels.ts";
import type { WorldObject } from "../../model/object.ts";
import { isPod } from "../../model/object.ts";

const textsKept = 20_000;
const labelsKept = 10_000;
const portsKept = 2_000;

export class Sharing {
  readonly #texts = new LRUCache<string, string>({ max: textsKept });
  readonly #labels = new LRUCache<string, Labels>({ max: labelsKept });
  readonly #ports = new LRUCache<string, readonly NamedPort[]>({ max: portsKept });

  share(object: WorldObject): WorldObject {
    if (!("labels" in object)) return object;
    const labels = this.#sharedLabels(object.labels);
    if (!isPod(object)) return { ...object, labels };
    const node = object.node === null ? null : this.#text(object.node);
    return {
      ...object,
      namespace: this.#text(object.namespace),
      labels,
      node,
      serviceAccount: this.#text(object.serviceAccount),
      ports: this.#sharedPorts(object.ports),
    };
  }

  #text(text: string): string {
    return kept(this.#texts, text, () => text);
  }

  #sharedLabels(labels: Labels): Labels {
    return kept(
      this.#labels,
      canonicalLabels(labels),
      () => new Map([...labels].map(([key, value]) => [this.#text(key), this.#text(value)])),
    );
  }

  #sharedPorts(ports: readonly NamedPort[]): readonly NamedPort[] {
    const text = JSON.stringify(ports.map(({ name, protocol, port }) => [name, protocol, port]));
    return kept(this.#ports, text, () => ports);
  }
}

function kept<V extends object | string>(cache: LRUCache<string, V>, key: string, make: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}
