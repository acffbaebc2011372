// Worlds of all kinds of policies, whose packets are judged by what the policies mean, by a reader of the printed text and by the
// kernel: through one node whose filter the text has made. Its own way to its pods must always be open.

import fc from "fast-check";
import { everyKind, installed } from "../../src/dialects.ts";
import { isOnPodNetwork } from "../../src/model/facts.ts";
import type { WorldObject } from "../../src/model/object.ts";
import { iptables, nftables } from "../../src/netfilter/index.ts";
import { netfilterOptions } from "../../src/netfilter/options.ts";
import { defaultsOf } from "../../src/policy/contracts/flags.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import { withAntrea } from "../proof/antrea-policies.ts";
import { meaningOf } from "../proof/judges.ts";
import { withOwnNetworkPolicies } from "../proof/own-network-policies.ts";
import { probesOf, probeText } from "../proof/packets.ts";
import type { Probe } from "../proof/packets.ts";
import type { ProofWorld } from "../proof/worlds.ts";
import { proofWorld, sorted } from "../proof/worlds.ts";
import type { Tool } from "./nodes.ts";
import { variants } from "./tools.ts";
import { isFiltered, tried } from "./trial.ts";

/** Rules that follow no connections are refused, so the annotation that makes them is left unread. */
export const { dialects } = installed(everyKind);

/** The text of a node's filter. Throws where a policy is refused. */
export function textOf(objects: readonly WorldObject[], zone: string, tool: Tool = "iptables"): string {
  const backend = tool === "nftables" ? nftables : iptables;
  const backendFlags = defaultsOf(netfilterOptions);
  const model = backend.model({ objects, dialects, families: null, zone, backendFlags });
  for (const { rejected, problems } of model.records())
    if (rejected) throw new Error(`refused: ${JSON.stringify(problems)}`);
  return backend.forms["restore"]?.(model) ?? "";
}

export interface Tally {
  worlds: number;
  packets: number;
  dropped: number;
  ruled: number;
  /** Worlds in which no node has pods: nothing was tried. */
  skipped: number;
}

/** Worlds of all kinds of policies. */
export const worldsOfAllKinds = withAntrea(withOwnNetworkPolicies(proofWorld));

/** Each variant, with a node that routes between its pods and with one that has them on a bridge. */
export const sites = variants.flatMap((variant) =>
  [false, true].map((isBridged) => ({ ...variant, isBridged })),
);

/** Of one world: how many were drawn, and of those how many are tried. */
const [candidates, packetsPerWorld] = [400, 60];

export class FilterLaboratory {
  readonly tally: Tally = { worlds: 0, packets: 0, dropped: 0, ruled: 0, skipped: 0 };
  readonly #site: (typeof sites)[number];

  constructor(site: (typeof sites)[number]) {
    this.#site = site;
  }

  /** For people. */
  get text(): string {
    const { worlds, packets, dropped, ruled, skipped } = this.tally;
    return (
      `${this.#site.name}, pods ${this.#site.isBridged ? "on a bridge" : "routed"}: ${worlds} worlds, ${packets} packets ` +
      `(${dropped} dropped, ${ruled} met a rule, ${skipped} worlds without a node for it)`
    );
  }

  /** Of so many worlds. */
  check(worlds: number, seed: number): Promise<fc.RunDetails<[ProofWorld]>> {
    const property = fc.asyncProperty(worldsOfAllKinds, (world) => this.prove(world));
    return fc.check(property, { numRuns: worlds, seed, endOnFailure: true, includeErrorInReport: true });
  }

  /** Throws an Error that names the packets on which the kernel and the policies differ. */
  async prove(world: ProofWorld): Promise<void> {
    const { nodes, pods } = sorted(world.objects);
    const podsOn = (node: string) => pods.filter((pod) => isOnPodNetwork(pod) && pod.node === node).length;
    const [own = null] = nodes.map(({ name }) => name).sort((a, b) => podsOn(b) - podsOn(a));
    if (own === null || podsOn(own) === 0) {
      this.tally.skipped++;
      return;
    }
    const meaning = meaningOf(world.objects, { installed: dialects, zone: own });
    const judged = probesOf(world, candidates)
      .filter(({ connection }) => canBeTried(connection))
      .flatMap((probe) => {
        const { connection } = probe;
        const opinion = meaning.opinion(connection);
        if (opinion === null) return [];
        // What no filter sees passes.
        const isAllowed = !isFiltered(connection, { own, nodes }) || opinion.verdict === "allow";
        return [{ probe, connection, isAllowed, isRuled: opinion.rules.length > 0 }];
      });
    const chosen = [...judged.filter(({ isRuled }) => isRuled), ...judged].slice(0, packetsPerWorld);
    const results = await tried(
      { nodes, own, ...this.#site },
      textOf(world.objects, own, this.#site.tool),
      chosen,
    );
    const wrong = results.filter(({ word, isAllowed }) => (word === "allow") !== isAllowed);
    if (wrong.length > 0) throw new Error(wrong.map(differenceText).join("\n"));
    this.tally.worlds++;
    this.tally.packets += results.length;
    this.tally.dropped += results.filter(({ isAllowed }) => !isAllowed).length;
    this.tally.ruled += chosen.filter(({ isRuled }) => isRuled).length;
  }
}

/** There are no sockets for the others, and a prober chooses no source port. */
function canBeTried({ protocol, sourcePort, icmp }: Connection): boolean {
  return sourcePort === undefined && icmp === undefined && typeof protocol !== "number";
}

function differenceText(one: {
  readonly connection: Connection;
  readonly isAllowed: boolean;
  readonly word: string;
}): string {
  const probe = { connection: one.connection } as Probe;
  return `${probeText(probe)}: ${one.word}, and the policies ${one.isAllowed ? "allow" : "deny"} it`;
}
