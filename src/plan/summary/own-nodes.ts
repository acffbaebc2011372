// The ways by which nodes reach their own pods, and pods themselves through a Service: no user wrote them, and where everything
// else comes to be denied or allowed they make a hole for each node. Says for each pod which sources have such a way to it.

import type { PodKey } from "../../model/facts.ts";
import type { Cidr } from "../../model/ip.ts";
import { isNodeWay } from "../../policy/outside.ts";
import type { Both, PolicyWorld } from "../../verdicts/worlds.ts";
import { ages } from "../../verdicts/worlds.ts";

export class OwnNodes {
  readonly #sources = new Map<string, Set<Cidr>>();
  /** By pod, the node that it is on in both worlds. */
  readonly #nodes: ReadonlyMap<PodKey, string>;

  constructor(worlds: Both<PolicyWorld>) {
    const own = ages.flatMap((age) => worlds[age].policies.filter(({ key }) => isNodeWay(key)));
    for (const { subject, rules } of own) {
      const peers = rules.ingress.flatMap((rule) => rule.peers);
      const sources = peers.flatMap((peer) => (peer.kind === "network" ? [peer.cidr] : []));
      for (const group of subject)
        if (group.kind === "podsOfNode")
          this.#sources.set(group.node, new Set([...(this.#sources.get(group.node) ?? []), ...sources]));
    }
    const { old, new: next } = worlds;
    this.#nodes = new Map(
      [...next.facts.pods].flatMap(([key, { node }]) =>
        node !== null && old.facts.pods.get(key)?.node === node ? [[key, node] as const] : [],
      ),
    );
  }

  /** The pod's node; null: no way leads to the pod. */
  nodeOf(key: PodKey): string | null {
    const node = this.#nodes.get(key) ?? null;
    return node !== null && this.#sources.has(node) ? node : null;
  }

  sourcesOf(node: string): readonly Cidr[] {
    return [...(this.#sources.get(node) ?? [])];
  }
}
