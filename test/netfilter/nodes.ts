// A cluster whose nodes have the printed filters, and a connection's way through them: at the source's node, and at the destination's.

import type { NodeFact } from "../../src/model/facts.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import { FilterPreview } from "../../src/netfilter/preview.ts";
import { nftScript } from "../../src/netfilter/nft/script.ts";
import { restoreText } from "../../src/netfilter/print-restore.ts";
import { filterFormOf } from "../../src/netfilter/options.ts";
import type { Flags } from "../../src/policy/contracts/flags.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import type { Policy } from "../../src/policy/ir.ts";
import type { GeneratedWorld } from "../backend/generator-world.ts";
import { FedGroups } from "../support/fed-groups.ts";
import { groupsOf } from "../support/groups-of.ts";
import type { Fate, Hook } from "./filter-walk.ts";
import { walk } from "./filter-walk.ts";
import { readNftText } from "./nft-text.ts";
import { walkNft } from "./nft-walk.ts";
import type { Packet } from "./packet.ts";
import { packetOf } from "./packet.ts";
import { readRestoreText } from "./restore-text.ts";

/** What a text is for. */
export const tools = ["iptables", "nftables"] as const;
export type Tool = (typeof tools)[number];

/** `unfiltered`: a node's own way to its pods, which passes no hook; `unplaced`: a pod is on no node. */
export type Outcome = Fate | "unfiltered" | "unplaced";

/** The text of a node's filter in a world with these policies. */
export function textsOf(
  world: GeneratedWorld,
  policies: readonly Policy[],
  flags: Flags = {},
  tool: Tool = "iptables",
): (node: string) => string {
  const groups = new FedGroups();
  for (const fact of world.namespaces.values()) groups.setNamespace(fact);
  for (const fact of world.nodes) groups.setNode(fact);
  for (const fact of world.hostNames) groups.setHostName(fact);
  for (const fact of world.pods) groups.setPod(fact);
  for (const group of policies.flatMap(groupsOf)) groups.retain(group);
  return (node) => {
    const preview = new FilterPreview(groups, node, filterFormOf(flags));
    preview.serve(["v4", "v6"]);
    for (const policy of policies) preview.upsert(policy);
    return tool === "nftables" ? nftScript(preview.table()) : restoreText(preview.filters());
  };
}

type Way = (packet: Packet, hook: Hook) => Fate;

/** A packet's way through the text. */
const readers: Readonly<Record<Tool, (text: string) => Way>> = {
  iptables: (text) => {
    const restored = readRestoreText(text);
    return (packet, hook) => walk(restored, packet, hook);
  },
  nftables: (text) => {
    const table = readNftText(text);
    return (packet, hook) => walkNft(table, packet, hook);
  },
};

export class Nodes {
  readonly #nodes: readonly NodeFact[];
  readonly #textOf: (node: string) => string;
  readonly #tool: Tool;
  readonly #filters = new Map<string, Way>();

  constructor(nodes: readonly NodeFact[], textOf: (node: string) => string, tool: Tool = "iptables") {
    this.#tool = tool;
    this.#nodes = nodes;
    this.#textOf = textOf;
  }

  outcome(connection: Connection): Outcome {
    const [from, to] = [this.#place(connection.from), this.#place(connection.to)];
    if (from === "unplaced" || to === "unplaced") return "unplaced";
    const packet = packetOf(connection);
    if (from !== null && from === to && connection.from.pod === null) return "unfiltered";
    if (from !== null && connection.from.pod !== null) {
      const isToOwnNode = from === to && connection.to.pod === null;
      const fate = this.#filter(from)(packet, isToOwnNode ? "INPUT" : "FORWARD");
      if (fate !== "accepted" || from === to) return fate;
    }
    if (to === null) return "accepted";
    // Another node's connection tracking does not know what was replaced on the way.
    const arrived = { ...packet, isTranslated: false };
    return this.#filter(to)(arrived, connection.to.pod === null ? "INPUT" : "FORWARD");
  }

  /** The node on which the end is; null: outside. */
  #place({ ip, pod }: End): string | null {
    if (pod !== null) return isOnPodNetwork(pod) && pod.node !== null ? pod.node : "unplaced";
    return this.#nodes.find(({ ips }) => ips.includes(ip))?.name ?? null;
  }

  #filter(node: string): Way {
    const known = this.#filters.get(node) ?? readers[this.#tool](this.#textOf(node));
    this.#filters.set(node, known);
    return known;
  }
}
