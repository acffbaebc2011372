// NG007 and NG015: what networks hold. A deny of a network that decides connections between pods, whose addresses lie in it;
// networks that are not what they look like, because their host bits are set, and networks inside another of the rule.

import { parseCidr, parseIp } from "../../../model/ip.ts";
import type { Cidr } from "../../../model/ip.ts";
import { networkImplies } from "../../implication/implication.ts";
import type { Context } from "../../context.ts";
import type { Draft } from "../../draft.ts";
import { ofRule, partOf } from "../../draft.ts";
import { inEveryRow, onceForEachRow } from "../../everywhere.ts";
import { nounsOf } from "../../parties.ts";
import type { OrderedRule } from "../../../verdicts/entries.ts";
import type { Pair } from "../../../verdicts/family-reach.ts";
import { podsOf } from "../../../verdicts/family-reach.ts";
import type { NetworkPeer } from "../../implication/together.ts";
import { noTraffic } from "../../../verdicts/traffic.ts";
import type { Row } from "../../../verdicts/row.ts";
import { effectOfRule } from "../../../verdicts/row.ts";
import type { Written } from "../../written.ts";
import { peersIn, peersWritten } from "../../written.ts";
import { counted } from "../../words.ts";
import type { PodFact } from "../../../model/facts.ts";

const isException = /\.except\[\d+\]$/;

/** What one rule decides by networks between pods, and workloads wherever their pods may be. */
interface Held {
  readonly subjects: Set<PodFact>;
  readonly peers: Set<PodFact>;
}

export function* holdsPods(context: Context): Generator<Draft> {
  for (const [entry, held] of heldByNetworks(context, ({ rule }) => effectOfRule(rule) === "deny")) {
    const { from, to } = fromTo(entry, held);
    yield {
      ...{ severity: "warning", target: ofRule(entry), field: partOf(entry, "peers") },
      message:
        `denies connections between pods by their addresses, from ${from} ` +
        `to ${to}: its networks hold the pod network`,
      fix: "allow or pass the intended pods before it, or except the pod network",
    };
  }
}

/**
 * What rules of users decide between pods by networks and by nothing else, in the order of evaluation. A rule without peers is
 * everyone on purpose, though its dialect may say so by networks.
 */
export function heldByNetworks(
  context: Context,
  isAsked: (entry: OrderedRule) => boolean,
): readonly (readonly [OrderedRule, Held])[] {
  const asked = new Set(
    context.entries().filter((entry) => isAsked(entry) && peersIn(context, entry) !== undefined),
  );
  if (asked.size === 0) return [];
  const found = new Map<OrderedRule, Held>();
  // Who of a namespace with unknown labels is let through before is not known.
  const { isAnywhere } = context.open;
  const isKnown = ({ namespace }: PodFact): boolean =>
    !isAnywhere || context.facts.namespaces.get(namespace)?.isUnread !== true;
  const speakingIn = onceForEachRow(speaking);
  for (const pair of context.reach.pairs()) addHeld(pair, context, { asked, isKnown, speakingIn, found });
  return [...asked].flatMap((entry) => {
    const held = found.get(entry);
    return held === undefined ? [] : [[entry, held] as const];
  });
}

/** How many pods and workloads, by the direction of the connections. */
export function fromTo(
  { direction }: OrderedRule,
  { subjects, peers }: Held,
): { readonly from: string; readonly to: string } {
  const [from, to] = direction === "egress" ? [subjects, peers] : [peers, subjects];
  return { from: countedEnds(from), to: countedEnds(to) };
}

function countedEnds(pods: ReadonlySet<PodFact>): string {
  return counted(pods.size, ...nounsOf(Array.from(pods, (pod) => ({ pod }))));
}

interface Holding {
  readonly asked: ReadonlySet<OrderedRule>;
  readonly isKnown: (pod: PodFact) => boolean;
  readonly speakingIn: (row: Row) => ReadonlyMap<OrderedRule, true>;
  readonly found: Map<OrderedRule, Held>;
}

function addHeld(pair: Pair, { reach }: Context, { asked, isKnown, speakingIn, found }: Holding): void {
  const { subject, peer } = pair;
  if (peer.pods.size + peer.workloads.length === 0) return;
  for (const entry of inEveryRow(pair, speakingIn).keys()) {
    if (!asked.has(entry) || !reach.namesByNetwork(entry, pair)) continue;
    const others = podsOf(peer).filter(isKnown);
    // Two pods of a workload are two pods.
    const isAlone = (pod: PodFact): boolean =>
      others.length === 1 && others[0] === pod && pod.isTemplate !== true;
    const between = podsOf(subject).filter((pod) => isKnown(pod) && !isAlone(pod));
    if (between.length === 0 || others.length === 0) continue;
    const held = found.get(entry) ?? { subjects: new Set<PodFact>(), peers: new Set<PodFact>() };
    found.set(entry, held);
    for (const pod of between) held.subjects.add(pod);
    for (const pod of others) held.peers.add(pod);
  }
}

/** The rules that decide something, in the order of evaluation. */
function speaking({ says }: Row): ReadonlyMap<OrderedRule, true> {
  const entries = says.flatMap(({ entry, said }) => (entry === null || said === noTraffic ? [] : [entry]));
  return new Map(entries.map((entry) => [entry, true]));
}

export function* maskedOrRepeated(context: Context): Generator<Draft> {
  for (const entry of context.entries()) {
    const networks = entry.rule.peers.filter((peer) => peer.kind === "network");
    if (networks.length === 0) continue;
    const { field, written } = peersWritten(context, entry);
    for (const { path, text } of written) yield* masked(entry, path, text);
    const ownOnes = written.filter(({ path }) => !isException.test(path));
    const writtenAs = (cidr: Cidr, nth: number): Written | null =>
      ownOnes.filter(({ text }) => parseCidr(text) === cidr)[nth] ?? null;
    yield* repeated(entry, networks, writtenAs, field);
  }
}

/** A text whose address is not the network's own. */
function* masked(entry: OrderedRule, field: string, text: string): Generator<Draft> {
  const cidr = parseCidr(text);
  const address = parseIp(text.slice(0, text.indexOf("/")));
  if (cidr === null || address === null || cidr.startsWith(`${address}/`)) return;
  yield {
    ...{ severity: "info", target: ofRule(entry), field, about: text },
    message: `${text} means ${cidr}: the bits behind the prefix do not count`,
    fix: `write ${cidr}, or the intended prefix length`,
    edit: { op: "replace", from: text, to: cidr },
  };
}

function* repeated(
  entry: OrderedRule,
  networks: readonly NetworkPeer[],
  writtenAs: (cidr: Cidr, nth: number) => Written | null,
  field: string,
): Generator<Draft> {
  for (const [at, network] of networks.entries()) {
    // Of two equal ones the second is the repetition.
    const outer = networks.find((other, place) => {
      if (place === at || !networkImplies(network, other)) return false;
      return place < at || !networkImplies(other, network);
    });
    if (outer === undefined) continue;
    const nth = networks.slice(0, at).filter(({ cidr }) => cidr === network.cidr).length;
    const own = writtenAs(network.cidr, nth);
    yield {
      ...{ severity: "info", target: ofRule(entry), field: own?.path ?? field },
      ...{ about: `${network.cidr} in ${outer.cidr} ${nth}` },
      message:
        outer.cidr === network.cidr
          ? `${network.cidr} is in the rule twice`
          : `${network.cidr} lies inside ${outer.cidr}, which the rule has too`,
      fix: "remove it",
      ...(own === null ? {} : { edit: { op: "removeItem", from: own.text, beside: ["except"] } }),
    };
  }
}
