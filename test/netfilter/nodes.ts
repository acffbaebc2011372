// A cluster whose nodes have the printed filters, and a connection's way through them: at the source's node, and at the destination's.

import { isOnPodNetwork } from "../../src/model/facts.ts";
import { FilterPreview } from "../../src/netfilter/preview.ts";
import { restoreText } from "../../src/netfilter/print-restore.ts";
import type { DenyForm } from "../../src/netfilter/options.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { GeneratedWorld } from "../backend/generator-world.ts";
import { FedGroups } from "../support/fed-groups.ts";
import { groupsOf } from "../support/groups-of.ts";
import type { Fate } from "./filter-walk.ts";
import { walk } from "./filter-walk.ts";
import { packetOf } from "./packet.ts";
import type { Restored } from "./restore-text.ts";
import { readRestoreText } from "./restore-text.ts";

/** `unfiltered`: a node's own way to its pods, which passes no hook; `unplaced`: a pod is on no node. */
export type Outcome = Fate | "unfiltered" | "unplaced";

export class Nodes {
  readonly #world: GeneratedWorld;
  readonly #policies: readonly Policy[];
  readonly #groups = new FedGroups();
  readonly #filters = new Map<string, Restored>();
  readonly #deny: DenyForm;

  constructor(world: GeneratedWorld, policies: readonly Policy[], deny: DenyForm = "reject") {
    this.#world = world;
    this.#policies = policies;
    this.#deny = deny;
    for (const fact of world.namespaces.values()) this.#groups.setNamespace(fact);
    for (const fact of world.nodes) this.#groups.setNode(fact);
    for (const fact of world.pods) this.#groups.setPod(fact);
    for (const group of policies.flatMap(groupsOf)) this.#groups.retain(group);
  }

  text(node: string): string {
    const preview = new FilterPreview(this.#groups, { zone: node, deny: this.#deny });
    preview.serve(["v4", "v6"]);
    for (const policy of this.#policies) preview.upsert(policy);
    return restoreText(preview.filters());
  }

  outcome(connection: Connection): Outcome {
    const [from, to] = [this.#place(connection.from), this.#place(connection.to)];
    if (from === "unplaced" || to === "unplaced") return "unplaced";
    const packet = packetOf(connection);
    if (from !== null && from === to && connection.from.pod === null) return "unfiltered";
    if (from !== null && connection.from.pod !== null) {
      const isToOwnNode = from === to && connection.to.pod === null;
      const fate = walk(this.#filter(from), packet, isToOwnNode ? "INPUT" : "FORWARD");
      if (fate !== "accepted" || from === to) return fate;
    }
    if (to === null) return "accepted";
    // Another node's connection tracking does not know what was replaced on the way.
    const arrived = { ...packet, isTranslated: false };
    return walk(this.#filter(to), arrived, connection.to.pod === null ? "INPUT" : "FORWARD");
  }

  /** The node on which the end is; null: outside. */
  #place({ ip, pod }: End): string | null {
    if (pod !== null) return isOnPodNetwork(pod) && pod.node !== null ? pod.node : "unplaced";
    return this.#world.nodes.find(({ ips }) => ips.includes(ip))?.name ?? null;
  }

  #filter(node: string): Restored {
    const known = this.#filters.get(node) ?? readRestoreText(this.text(node));
    this.#filters.set(node, known);
    return known;
  }
}
