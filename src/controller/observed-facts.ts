// Stores observed facts by the keys of their objects, and passes each change on to every follower of the store. Refuses
// an unknown kind: such an object is our own bug, and to skip it silently would leave traffic unfiltered. Invariant:
// every follower gets every change of the store once, in order.

import { invariant } from "../lib/invariant.ts";
import type { FactChange, FactStore } from "../model/fact-store.ts";
import { podKey } from "../model/facts.ts";
import type { ObjectKey, WorldObject } from "../model/object.ts";
import { factKinds, hostNameKind, isApiObject, isSameKind, splitKey } from "../model/object.ts";

export interface FactFollower {
  follow(change: FactChange): void;
}

export class ObservedFacts {
  readonly #facts: FactStore;
  readonly #followers: readonly FactFollower[];

  constructor(facts: FactStore, followers: readonly FactFollower[]) {
    this.#facts = facts;
    this.#followers = followers;
  }

  /** Records the present state of the object; null when it does not exist. */
  observe(key: ObjectKey, object: WorldObject | null): void {
    const change = object === null ? this.#dropped(key) : this.#put(key, object);
    if (change !== null) for (const follower of this.#followers) follower.follow(change);
  }

  #put(key: ObjectKey, object: WorldObject): FactChange | null {
    invariant(!isApiObject(object), `no dialect knows ${key}`);
    return this.#facts.put(object);
  }

  #dropped(key: ObjectKey): FactChange | null {
    const { namespace, name, ...of } = splitKey(key);
    if (isSameKind(of, factKinds.Pod)) return this.#facts.dropPod(podKey(namespace ?? "", name));
    if (isSameKind(of, factKinds.Namespace)) return this.#facts.dropNamespace(name);
    if (isSameKind(of, hostNameKind)) return this.#facts.dropHostName(name);
    invariant(isSameKind(of, factKinds.Node), `no dialect knows ${key}`);
    return this.#facts.dropNode(name);
  }
}
