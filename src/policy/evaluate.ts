// What the IR means: the verdict on one connection, written from the text of the policy APIs and not from any backend's
// rows. Slow and plain on purpose: tests compare rows with its verdicts, and `explain` will print them.
//
// Two sides: the egress side of the source and the ingress side of the destination must both allow a connection. On
// each side tiers come in their order, policies of a tier by priority (order.ts), rules of a policy from the top. The first rule
// that matches decides, `pass` goes on to the next tier, and a connection that no tier decides is allowed. A pod that
// connects to itself is not subject to policies at all: do not call `judge` for it.
//
// The verdict is that on a connection's first packet. What answers an allowed connection passes with it, save that of a policy
// whose allows are stateless: nobody remembers that connection, and its answers are judged as a connection the other way round.

import { unreachable } from "../lib/invariant.ts";
import type { NamespaceFact, NodeFact, PodFact, Protocol } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { familyOf } from "../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../model/protocols.ts";
import { namespaceLabels, podLabels } from "../model/selectable.ts";
import { contains } from "../model/cidr.ts";
import { everything, selects } from "../model/selector.ts";
import type {
  Direction,
  Peer,
  Policy,
  PortMatch,
  PortRange,
  Rule,
  SameNamespaces,
  SubjectGroup,
} from "./ir.ts";
import type { Turn } from "./order.ts";
import { isAskedBefore, turnsOf } from "./order.ts";

/** One end of a connection. A pod's end has the pod's fact; any other address has none. */
export interface End {
  readonly ip: IpAddress;
  /** null: not an address of a pod on the pod network. */
  readonly pod: PodFact | null;
}

export interface Connection {
  readonly from: End;
  readonly to: End;
  /** `icmp` stands for ICMP in the addresses' own family; a number for any other IP protocol (IANA). */
  readonly protocol: Protocol | "icmp" | number;
  /** Destination port; without meaning where the protocol has no ports. */
  readonly port: number;
  /** Source port; absent: a port outside every range that a rule names. */
  readonly sourcePort?: number;
  /** Of icmp; absent: an echo request, code 0. */
  readonly icmp?: { readonly type: number; readonly code: number };
  /** True: the source named another destination, and a load balancer has replaced it by `to` and `port`. */
  readonly translated?: true;
}

export interface World {
  readonly namespaces: ReadonlyMap<string, NamespaceFact>;
  /** Must allow repeated iteration. */
  readonly nodes: Iterable<NodeFact>;
}

/** A policy that decides or passes; no rule: none of its rules matched, and it isolates its subject. */
export interface Step {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule | null;
}

export interface Decision {
  readonly verdict: "allow" | "deny";
  /** The step that decided on this side; null: none did, and the connection is allowed. */
  readonly by: Step | null;
  /** The passes in order, then the step that decided: at most one step for each tier. */
  readonly steps: readonly Step[];
}

export interface Judgement {
  readonly verdict: "allow" | "deny";
  readonly egress: Decision;
  readonly ingress: Decision;
}

export function judge(connection: Connection, world: World, policies: readonly Policy[]): Judgement {
  const egress = decide("egress", connection, world, policies);
  const ingress = decide("ingress", connection, world, policies);
  const verdict = egress.verdict === "allow" && ingress.verdict === "allow" ? "allow" : "deny";
  return { verdict, egress, ingress };
}

function decide(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Decision {
  const tiers = Map.groupBy(policies, (policy) => policy.tier.order);
  const steps: Step[] = [];
  for (const order of [...tiers.keys()].sort((a, b) => a - b)) {
    const step = decideTier(direction, connection, world, tiers.get(order) ?? []);
    if (step === null) continue;
    steps.push(step);
    const verdict = verdictOf(step);
    if (verdict !== null) return { verdict, by: step, steps };
  }
  return { verdict: "allow", by: null, steps };
}

/** Null: the step passes to the next tier. */
export function verdictOf({ rule }: Step): Decision["verdict"] | null {
  if (rule === null) return "deny";
  switch (rule.action) {
    case "allow":
      return "allow";
    case "deny":
    case "reject":
      return "deny";
    case "pass":
      return null;
    default:
      return unreachable(rule.action);
  }
}

/** The first rule of the tier that matches; null: the tier does not decide. */
function decideTier(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Step | null {
  const turns = turnsOf(policies);
  for (const turn of turns) {
    const step = firstStep(turn, direction, connection, world);
    if (step !== null) return step;
  }
  return isolation(direction, connection, world, turns.flat());
}

/** The step of policies that are asked together; null: none of their rules matches. */
export function firstStep(
  turn: Turn,
  direction: Direction,
  connection: Connection,
  world: World,
): (Step & { readonly rule: Rule }) | null {
  let first: (Step & { readonly rule: Rule }) | null = null;
  for (const policy of turn) {
    const rule = firstMatch(policy, direction, connection, world);
    if (rule !== null && (first === null || isAskedBefore([policy, rule], [first.policy, first.rule])))
      first = { policy, direction, rule };
  }
  return first;
}

/** The step that denies what no rule of a tier matches; null: none of its policies isolates the side's pod. */
export function isolation(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Step | null {
  const subject = subjectOf(connection, direction);
  const isolating = policies.find(
    (policy) => policy.unmatched[direction] === "deny" && isSelected(subject, policy.subject, world),
  );
  return isolating === undefined ? null : { policy: isolating, direction, rule: null };
}

/** The step of this policy alone; null: it does not decide on this side. */
export function firstMatch(
  policy: Policy,
  direction: Direction,
  connection: Connection,
  world: World,
): Rule | null {
  const subject = subjectOf(connection, direction);
  const rule = policy.rules[direction].find(
    (candidate) =>
      isSelected(subject, candidate.subject ?? policy.subject, world) &&
      matches(candidate, direction, connection, world),
  );
  return rule ?? null;
}

function subjectOf(connection: Connection, direction: Direction): End {
  return direction === "egress" ? connection.from : connection.to;
}

function matches(rule: Rule, direction: Direction, connection: Connection, world: World): boolean {
  if (rule.translated === true && connection.translated !== true) return false;
  const peer = direction === "egress" ? connection.to : connection.from;
  const subject = subjectOf(connection, direction);
  if (!rule.peers.some((candidate) => isPeer(peer, candidate, subject, world))) return false;
  return rule.ports === null || rule.ports.some((port) => isPort(connection, port, world));
}

function isPeer(end: End, peer: Peer, subject: End, world: World): boolean {
  switch (peer.kind) {
    case "pods":
      return isSelected(end, [peer], world);
    case "sameNamespaces":
      return isInSameNamespaces(end, peer, subject, world);
    case "nodes":
      return Iterator.from(world.nodes).some(
        (node) => selects(peer.nodes, node.labels) && node.ips.includes(end.ip),
      );
    case "network":
      return contains(peer.cidr, end.ip) && !peer.except.some((cidr) => contains(cidr, end.ip));
    case "everything":
      return true;
    default:
      return unreachable(peer);
  }
}

/**
 * Neither a subject nor a peer selects pods outside the reach of policies: host-network, completed, unscheduled ones.
 */
function isSelected({ pod }: End, groups: readonly SubjectGroup[], { namespaces }: World): boolean {
  if (pod === null || !isOnPodNetwork(pod)) return false;
  const namespace = namespaces.get(pod.namespace);
  const [scope, labels] = [namespace && namespaceLabels(namespace), podLabels(pod)];
  return groups.some((group) => {
    if (group.kind === "podsOfNode") return pod.node === group.node;
    return scope !== undefined && selects(group.namespaces, scope) && selects(group.pods, labels);
  });
}

function isInSameNamespaces(end: End, peer: SameNamespaces, subject: End, world: World): boolean {
  const of = ({ pod }: End) => (pod === null ? undefined : world.namespaces.get(pod.namespace));
  const [own, other] = [of(subject), of(end)];
  if (own === undefined || other === undefined) return false;
  if (!isSelected(end, [{ kind: "pods", namespaces: everything, pods: peer.pods }], world)) return false;
  if (peer.keys.length === 0) return own.name === other.name;
  return peer.keys.every((key) => own.labels.has(key) && own.labels.get(key) === other.labels.get(key));
}

function isPort(connection: Connection, match: PortMatch, world: World): boolean {
  const { protocol, port } = connection;
  switch (match.kind) {
    case "port":
      return match.protocol === protocol && match.port === port && isSource(connection, match.source);
    case "range":
      return (
        match.protocol === protocol &&
        match.start <= port &&
        port <= match.end &&
        isSource(connection, match.source)
      );
    case "named":
      return isSource(connection, match.source) && isDeclared(connection, match, world);
    case "protocol":
      return match.number === protocolNumber(connection);
    case "icmp":
      return isIcmp(connection, match);
    default:
      return unreachable(match);
  }
}

const everyPod: readonly SubjectGroup[] = [{ kind: "pods", namespaces: everything, pods: everything }];

/**
 * A name matches one of the destination pod's container ports, which gives the number and, as a rule, the protocol. As
 * peers do, it finds only pods in the reach of policies, of namespaces that are known.
 */
function isDeclared(
  { to, protocol, port }: Connection,
  match: Extract<PortMatch, { kind: "named" }>,
  world: World,
): boolean {
  if ((match.protocol ?? protocol) !== protocol || !isSelected(to, everyPod, world)) return false;
  const declared = to.pod?.ports ?? [];
  return declared.some((one) => one.name === match.name && one.protocol === protocol && one.port === port);
}

function isSource({ sourcePort }: Connection, range: PortRange | undefined): boolean {
  if (range === undefined) return true;
  return sourcePort !== undefined && range.start <= sourcePort && sourcePort <= range.end;
}

function isIcmp(connection: Connection, match: Extract<PortMatch, { kind: "icmp" }>): boolean {
  // ICMPv6's number in an IPv4 packet is another protocol, and ICMP's in an IPv6 packet too.
  const family = familyOf(connection.to.ip);
  if (protocolNumber(connection) !== icmpNumbers[family]) return false;
  if ((match.family ?? family) !== family) return false;
  const { type, code } = connection.icmp ?? { type: family === "v4" ? 8 : 128, code: 0 };
  return (match.type ?? type) === type && (match.code ?? code) === code;
}

function protocolNumber({ protocol, to }: Connection): number {
  if (typeof protocol === "number") return protocol;
  if (protocol !== "icmp") return protocolNumbers[protocol];
  return icmpNumbers[familyOf(to.ip)];
}
