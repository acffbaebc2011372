// The rules of one direction of a policy: who is allowed at which ports. Peers that are allowed the same ports are in one rule; addresses
// are one set for each port, so that their number is bounded for each.

import { append } from "../lib/append.ts";
import type { Protocol } from "../model/facts.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import type { Direction } from "../policy/ir.ts";
import { mergedRanges } from "../policy/ports/port-ranges.ts";
import { namespaceNameLabel } from "../unknowns/namespaces.ts";
import type { Blocks } from "./blocks.ts";
import { blocksOf } from "./blocks.ts";
import type { PeerManifest, PortManifest, RuleManifest } from "./manifest.ts";
import type { PodClass } from "./pod-classes.ts";

export interface SeenPort {
  readonly protocol: Protocol;
  readonly port: number;
}

type PortText = `${Protocol} ${number}`;

export interface MadeRules {
  readonly rules: readonly RuleManifest[];
  /** For each port whose addresses are named by wider networks, how many addresses. */
  readonly widened: readonly { readonly addresses: number; readonly networks: readonly Cidr[] }[];
}

/** What pods of one class have opened, or what was opened to them. */
export class SeenPeers {
  readonly #namespace: string;
  readonly #pods = new Map<PodClass, Set<PortText>>();
  readonly #addresses = new Map<PortText, IpAddress[]>();

  /** `namespace`: of the policy. */
  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  add(peer: PodClass | IpAddress, { protocol, port }: SeenPort): void {
    const text: PortText = `${protocol} ${port}`;
    if (typeof peer === "string") append(this.#addresses, text, peer);
    else this.#pods.set(peer, (this.#pods.get(peer) ?? new Set()).add(text));
  }

  /** Whether the port was seen, of any peer. */
  has({ protocol, port }: SeenPort): boolean {
    const text: PortText = `${protocol} ${port}`;
    return this.#addresses.has(text) || [...this.#pods.values()].some((ports) => ports.has(text));
  }

  /** `avoided`: as in blocksOf. */
  rules(direction: Direction, avoided: () => readonly Cidr[]): MadeRules {
    const blocks = Array.from(this.#addresses, ([port, ips]) => ({ port, ips, ...blocksOf(ips, avoided) }));
    const ofPods = Map.groupBy(this.#pods, ([, ports]) => JSON.stringify(portsOf(ports)));
    const ofBlocks = Map.groupBy(blocks, ({ parts }) => JSON.stringify(parts));
    const rules = [
      ...Array.from(ofPods.values(), (peers) =>
        ruleOf(direction, this.#peersOf(peers.map(([peer]) => peer)), peers[0]?.[1] ?? []),
      ),
      ...Array.from(ofBlocks.values(), (same) =>
        ruleOf(
          direction,
          blockPeers(same[0]?.parts ?? []),
          same.map(({ port }) => port),
        ),
      ),
    ];
    return {
      rules: rules.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      widened: blocks.flatMap(({ ips, wider }) =>
        wider.length === 0 ? [] : [{ addresses: new Set(ips).size, networks: wider }],
      ),
    };
  }

  /** Of the policy's own namespace a selector of pods is enough. */
  #peersOf(peers: readonly PodClass[]): readonly PeerManifest[] {
    return peers
      .map(({ namespace, selector: podSelector }): PeerManifest => {
        if (namespace === this.#namespace) return { podSelector };
        return { namespaceSelector: { matchLabels: { [namespaceNameLabel]: namespace } }, podSelector };
      })
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
}

function blockPeers(parts: Blocks["parts"]): readonly PeerManifest[] {
  return parts.map(({ cidr, except }) => ({
    ipBlock: { cidr, ...(except.length === 0 ? {} : { except }) },
  }));
}

function ruleOf(
  direction: Direction,
  peers: readonly PeerManifest[],
  seen: Iterable<PortText>,
): RuleManifest {
  const ports = portsOf(seen);
  return direction === "ingress" ? { from: peers, ports } : { to: peers, ports };
}

const words = { tcp: "TCP", udp: "UDP", sctp: "SCTP" } as const satisfies Readonly<Record<Protocol, string>>;
const protocols = ["tcp", "udp", "sctp"] as const;

/** Ports that follow each other are one range. */
function portsOf(seen: Iterable<PortText>): readonly PortManifest[] {
  const all = [...seen];
  return protocols.flatMap((protocol) => {
    const numbers = all
      .filter((text) => text.startsWith(`${protocol} `))
      .map((text) => Number(text.slice(protocol.length + 1)));
    return mergedRanges(numbers.map((port) => ({ start: port, end: port }))).map(({ start, end }) => ({
      ...{ protocol: words[protocol], port: start },
      ...(end === start ? {} : { endPort: end }),
    }));
  });
}
