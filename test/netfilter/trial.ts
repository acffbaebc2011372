// Connections tried with sockets of the kernel, through a node whose filter has loaded a text: the word of each socket beside the
// verdict that policies mean. Every end outside has a namespace of its own, as pods and nodes have.

import type { NodeFact } from "../../src/model/facts.ts";
import { podKey } from "../../src/model/facts.ts";
import type { Connection, End } from "../../src/policy/evaluate.ts";
import { patience } from "../support/patience.ts";
import type { Listened, Stack } from "./node.ts";
import { TestNode } from "./node.ts";
import type { Flavour } from "./tools.ts";
import { RealFilter } from "./tools.ts";

/** Where connections are tried. */
export interface Site {
  readonly nodes: readonly NodeFact[];
  /** The name of the node that has the filter. */
  readonly own: string;
  readonly flavour: Flavour;
  /** Whether the node's pods are on a bridge. */
  readonly isBridged: boolean;
}

export interface Judged {
  readonly connection: Connection;
  readonly isAllowed: boolean;
}

export interface Tried extends Judged {
  /** As the prober says it. */
  readonly word: string;
}

/** Nothing but silence takes so long: what is denied is rejected at once. */
const silenceMs = patience(3000);
/** A raw socket does not always hear that it was rejected. */
const rawMs = patience(500);

/** The name of the node, the pod or the address. */
export function nameOf({ ip, pod }: End, nodes: readonly NodeFact[]): string {
  if (pod !== null) return podKey(pod.namespace, pod.name);
  return nodes.find(({ ips }) => ips.includes(ip))?.name ?? ip;
}

/** Whether the node's filter has a say: of what the node itself sends to its own pods it has none. */
export function isFiltered({ from, to }: Connection, { own, nodes }: Pick<Site, "own" | "nodes">): boolean {
  const isLocal = ({ pod }: End) => pod?.node === own;
  const isFromNode = from.pod === null && nameOf(from, nodes) === own;
  return isLocal(from) || (isLocal(to) && !isFromNode);
}

export async function tried(site: Site, text: string, judged: readonly Judged[]): Promise<readonly Tried[]> {
  const { own, nodes, flavour } = site;
  const stacks = stacksOf(judged, site);
  const ips = nodes.find(({ name }) => name === own)?.ips ?? [];
  const mine = stacks.find(({ name }) => name === own) ?? { name: own, isBridged: false, listens: [] };
  const others = stacks.filter(({ name }) => name !== own);
  const node = await TestNode.open({ ...mine, ips }, others);
  try {
    new RealFilter(node.namespace, flavour).load(text);
    return await Promise.all(
      judged.map(async (one) => {
        const { from, to, protocol, port } = one.connection;
        const words = [
          askedAs(protocol),
          to.ip,
          port,
          protocol === "tcp" || protocol === "udp" ? silenceMs : rawMs,
          from.ip,
        ];
        return { ...one, word: await node.of(nameOf(from, nodes)).ask("probe", ...words) };
      }),
    );
  } finally {
    await node.close();
  }
}

/** An INIT chunk by a raw socket: few kernels have SCTP. */
function askedAs(protocol: Connection["protocol"]): string {
  return protocol === "sctp" ? "sctp-init" : String(protocol);
}

function stacksOf(judged: readonly Judged[], { nodes, own, isBridged }: Site): readonly Stack[] {
  const connections = judged.map(({ connection }) => connection);
  const ends = Map.groupBy(
    connections.flatMap(({ from, to }) => [from, to]),
    (end) => nameOf(end, nodes),
  );
  const listens = Map.groupBy(connections.flatMap(listened), ({ ip }) => ip);
  return [...ends].map(([name, all]) => {
    const ips = [...new Set(all.map(({ ip }) => ip))];
    return {
      ...{ name, ips, listens: ips.flatMap((ip) => distinct(listens.get(ip) ?? [])) },
      isBridged: isBridged && all.some(({ pod }) => pod?.node === own),
    };
  });
}

function listened({ to: { ip }, protocol, port }: Connection): readonly Listened[] {
  if (protocol === "sctp") return [{ protocol: "sctp-init", ip, port }];
  return protocol === "tcp" || protocol === "udp" ? [{ protocol, ip, port }] : [];
}

function distinct(all: readonly Listened[]): readonly Listened[] {
  return [...new Map(all.map((one) => [`${one.protocol} ${one.port}`, one])).values()];
}
