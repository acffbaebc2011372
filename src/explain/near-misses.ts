// Rules that nearly match: they apply to the pod, precede what decided, and fail in one part only. Each with the first
// requirement that fails and what is there instead. At most five: first those that would have changed the verdict.

import { unmetBy } from "../analysis/selectors.ts";
import type { Unmet } from "../analysis/selectors.ts";
import { contains } from "../model/cidr.ts";
import type { Cidr, IpAddress } from "../model/ip.ts";
import { hostNameLabels, namespaceLabels, podLabels } from "../model/selectable.ts";
import type { Connection, End, Step } from "../policy/evaluate.ts";
import { verdictOf } from "../policy/evaluate.ts";
import type { Direction, HostNameGroup, NodeGroup, PodGroup, SameNamespaces } from "../policy/ir.ts";
import { isSelected, subjectOf } from "../policy/matching.ts";
import type { Ends, EndTerm } from "../policy/normal-form.ts";
import { nothingElse, peerTerms } from "../policy/normal-form.ts";
import type { NearMiss } from "./answer.ts";
import { isPluginPolicy } from "../policy/outside.ts";
import { byTier, compareTiers, rulesInOrder } from "../policy/order.ts";
import type { AskedWorld } from "./asked.ts";
import { subjectText } from "../analysis/words.ts";
import type { MatchedRule } from "../analysis/parts.ts";
import { appliesTo, matchesOwn, matchesPeer, matchesPort, matchesWay } from "../analysis/parts.ts";
import { missedPort } from "./near-ports.ts";

const most = 5;

type Miss = Unmet & Pick<NearMiss, "part">;

/** `steps`: what the judge went by, passes and the step that decided. */
export function nearMissesOn(
  direction: Direction,
  connection: Connection,
  asked: AskedWorld,
  steps: readonly Step[],
): readonly NearMiss[] {
  const would: NearMiss[] = [];
  const others: NearMiss[] = [];
  const verdict = steps.map(verdictOf).find((one) => one !== null) ?? "allow";
  for (const met of metBefore(direction, connection, asked, steps)) {
    const miss = missOf(met, asked);
    if (miss === null) continue;
    (verdictOf(met) === verdict ? others : would).push({
      ...asked.stepOf(met.policy, direction, met.rule),
      ...{ part: miss.part, wanted: miss.wanted, has: miss.has },
    });
  }
  return [...would, ...others].slice(0, most);
}

/** What follows a step of its tier, or the tier that decided, could have matched without any effect. */
function* metBefore(
  direction: Direction,
  connection: Connection,
  asked: AskedWorld,
  steps: readonly Step[],
): Generator<MatchedRule, void> {
  const { facts } = asked;
  const last = steps.findLast((step) => verdictOf(step) !== null)?.policy.tier ?? null;
  for (const [tier, ofTier] of byTier(asked.policiesOf(connection))) {
    if (last !== null && compareTiers(tier, last) > 0) return;
    let isLeft = false;
    for (const { policy, rule } of rulesInOrder(ofTier, direction)) {
      if (steps.some((step) => step.policy === policy && step.rule === rule)) isLeft = true;
      // What a network plugin does by itself is nobody's to mend.
      if (!isLeft && !isPluginPolicy(policy.key)) yield { policy, direction, rule, connection, world: facts };
    }
  }
}

const missedService: Miss = {
  ...{ part: "service", wanted: "a connection through a Service", has: "one straight to the pod" },
};

/** Null: it matches, does not apply, or fails in more than one part. */
function missOf(met: MatchedRule, asked: AskedWorld): Miss | null {
  if (!appliesTo(met)) return null;
  const [peer, own, port] = [matchesPeer(met), matchesOwn(met), matchesPort(met)];
  const way = matchesWay(met);
  if ([peer, own, port, way].filter((isRight) => !isRight).length !== 1) return null;
  if (!way) return missedService;
  if (!port) return missedPort(met);
  if (!own) return missedOwn(met);
  const terms = peerTerms(met.rule);
  const [first, ...others] = terms.flatMap((one) => missedTerm(one, met, asked));
  // Of several peers, the one of which most was right.
  const best = others.reduce(
    (a, b) => (b.right > a.right ? b : a),
    first ?? { right: 0, wanted: "", has: "" },
  );
  return best.wanted === "" ? null : { part: "peer", wanted: best.wanted, has: best.has };
}

function missedOwn({ rule, connection, direction }: MatchedRule): Miss | null {
  const { ip } = subjectOf(connection, direction);
  const { networks, except } = rule.own ?? { networks: [], except: [] };
  const [miss] = missedNetworks(networks, ip, except.find((one) => contains(one, ip)) ?? null);
  return miss === undefined ? null : { part: "own", wanted: miss.wanted, has: miss.has };
}

type PeerMiss = Unmet & { /** How much of the peer was right. */ readonly right: number };

/** Of a term that the end is not: what of it is not so. */
function missedTerm(
  { anyOf, noneOf, within, ...others }: EndTerm,
  met: MatchedRule,
  asked: AskedWorld,
): readonly PeerMiss[] {
  nothingElse(others);
  const excepted = noneOf.networks.find((one) => contains(one, endOf(met).ip));
  return [
    ...unwantedPods(noneOf.pods, met),
    ...missedEnds(anyOf, met, asked, excepted ?? null),
    ...(within === null ? [] : missedEnds(within, met, asked, excepted ?? null)),
  ];
}

/** The end is a pod that must not be meant. */
function unwantedPods(groups: readonly PodGroup[], met: MatchedRule): readonly PeerMiss[] {
  const { pod } = endOf(met);
  const group = groups.find((one) => isSelected(endOf(met), [one], met.world));
  if (pod === null || group === undefined) return [];
  return [{ wanted: `no pod of ${subjectText(group)}`, has: `${pod.namespace}/${pod.name}`, right: 1 }];
}

function endOf({ connection, direction }: MatchedRule): End {
  return direction === "egress" ? connection.to : connection.from;
}

/** `excepted`: the network that the end is in, and that takes it out again. */
function missedEnds(
  ends: Ends,
  met: MatchedRule,
  asked: AskedWorld,
  excepted: Cidr | null,
): readonly PeerMiss[] {
  const { everything: isEvery, pods, sameNamespaces, nodes, hostNames, networks, ...others } = ends;
  nothingElse(others);
  if (isEvery) return [];
  const end = endOf(met);
  const subject = subjectOf(met.connection, met.direction);
  const misses = [
    ...pods.map((one) => missedPods(one, end, asked)),
    ...sameNamespaces.map((one) => missedShare(one, end, subject, asked)),
    ...nodes.map((one) => missedNodes(one, end, asked)),
    ...hostNames.map((one) => missedNames(one, end, asked)),
    ...missedNetworks(networks, end.ip, excepted),
  ];
  return misses.filter((one) => one !== null);
}

/** None: the address is in one of them and is not excepted. */
function missedNetworks(
  networks: readonly Cidr[],
  ip: IpAddress,
  excepted: Cidr | null,
): readonly PeerMiss[] {
  const holding = networks.filter((cidr) => contains(cidr, ip));
  if (holding.length === 0) return networks.map((cidr) => ({ wanted: cidr, has: ip, right: 0 }));
  if (excepted === null) return [];
  return holding.map((cidr) => ({ wanted: `${cidr} without ${excepted}`, has: ip, right: 1 }));
}

function missedPods(peer: PodGroup, { ip, pod }: End, { facts }: AskedWorld): PeerMiss | null {
  if (pod === null) return { wanted: "a pod", has: `${ip}, which is no pod's`, right: -1 };
  const namespace = facts.namespaces.get(pod.namespace);
  if (namespace === undefined)
    return { wanted: `namespace ${pod.namespace}`, has: "none of that name", right: 0 };
  const home = unmetBy(peer.namespaces, namespaceLabels(namespace));
  const own = unmetBy(peer.pods, podLabels(pod));
  if (home !== null)
    return {
      wanted: `namespace ${home.wanted}`,
      has: hasOr(home, pod.namespace),
      right: own === null ? 1 : 0,
    };
  return own === null ? null : { wanted: `pod ${own.wanted}`, has: own.has, right: 2 };
}

/** Where the namespace has no such label, its name says more. */
function hasOr({ has }: Unmet, name: string): string {
  return has === "none" ? `none (${name})` : has;
}

function missedShare(
  { keys, pods }: SameNamespaces,
  { ip, pod }: End,
  subject: End,
  { facts }: AskedWorld,
): PeerMiss | null {
  if (pod === null || subject.pod === null)
    return { wanted: "a pod", has: `${ip}, which is no pod's`, right: -1 };
  const [own, other] = [facts.namespaces.get(subject.pod.namespace), facts.namespaces.get(pod.namespace)];
  if (own === undefined || other === undefined) return null;
  if (keys.length === 0 && own.name !== other.name)
    return { wanted: `namespace ${own.name}, the pod's own`, has: other.name, right: 0 };
  const key = keys.find((one) => !own.labels.has(one) || own.labels.get(one) !== other.labels.get(one));
  if (key !== undefined)
    return {
      wanted: `namespace ${key}=${own.labels.get(key) ?? "none"}, as the pod's own`,
      has: other.labels.get(key) ?? `none (${other.name})`,
      right: 0,
    };
  const unmet = unmetBy(pods, podLabels(pod));
  return unmet === null ? null : { wanted: `pod ${unmet.wanted}`, has: unmet.has, right: 2 };
}

function missedNodes({ nodes }: NodeGroup, { ip }: End, { facts }: AskedWorld): PeerMiss | null {
  const node = Iterator.from(facts.nodes).find(({ ips }) => ips.includes(ip));
  if (node === undefined) return { wanted: "a node", has: `${ip}, which is no node's`, right: -1 };
  const unmet = unmetBy(nodes, node.labels);
  return unmet === null ? null : { wanted: `node ${unmet.wanted}`, has: unmet.has, right: 1 };
}

function missedNames({ names }: HostNameGroup, { ip }: End, { facts }: AskedWorld): PeerMiss | null {
  const holder = Iterator.from(facts.hostNames).find(({ ips }) => ips.includes(ip));
  if (holder === undefined)
    return { wanted: "a host name", has: `${ip}, which DNS answered for none`, right: -1 };
  const unmet = unmetBy(names, hostNameLabels(holder));
  return unmet === null ? null : { wanted: unmet.wanted, has: holder.name, right: 1 };
}
