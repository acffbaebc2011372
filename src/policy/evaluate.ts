// What the IR means: the verdict on one connection, written from the text of the policy APIs and not from any backend's
// rows. Slow and plain on purpose: it is one of the judges that rows are held against, and what `explain` will say.
//
// Two sides: the egress side of the source and the ingress side of the destination must both let a connection pass. On
// each side tiers come in their order, policies of a tier by priority, rules of a policy from the top; the first rule
// that matches decides, `pass` sends on to the next tier, and where nobody decides the connection is let pass.

import { invariant, unreachable } from "../lib/invariant.ts";
import type { NamespaceFact, NodeFact, PodFact, Protocol } from "../model/facts.ts";
import { isOnPodNetwork } from "../model/facts.ts";
import type { IpAddress } from "../model/ip.ts";
import { contains } from "../model/cidr.ts";
import { selects } from "../model/selector.ts";
import type { Direction, Peer, PodGroup, Policy, PortMatch, Rule } from "./ir.ts";

/** One end of a connection. A pod's end names the pod; any other address has none. */
export interface End {
  readonly ip: IpAddress;
  /** null: not an address of a pod on the pod network. */
  readonly pod: PodFact | null;
}

export interface Connection {
  readonly from: End;
  readonly to: End;
  /** icmp has no ports: only rules without ports match it. */
  readonly protocol: Protocol | "icmp";
  /** Destination port; without meaning for icmp. */
  readonly port: number;
}

export interface World {
  readonly namespaces: ReadonlyMap<string, NamespaceFact>;
  readonly nodes: readonly NodeFact[];
}

/** Who decided on one side; null: nobody, which lets pass. */
export interface Decision {
  readonly verdict: "allow" | "deny";
  readonly by: { readonly policy: Policy; readonly direction: Direction; readonly rule: Rule | null } | null;
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

const nobody: Decision = { verdict: "allow", by: null };

function decide(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Decision {
  const subject = direction === "egress" ? connection.from.pod : connection.to.pod;
  if (subject === null || !isOnPodNetwork(subject)) return nobody;
  const applying = policies.filter((policy) => isMember(subject, policy.subject, world));
  const orders = [...new Set(applying.map((policy) => policy.tier.order))].sort((a, b) => a - b);
  for (const order of orders) {
    const tier = applying.filter((policy) => policy.tier.order === order);
    const decision = decideTier(
      direction,
      connection,
      world,
      tier.sort((a, b) => a.priority - b.priority),
    );
    if (decision !== null) return decision;
  }
  return nobody;
}

/** Null: the tier passes, or has nothing to say. */
function decideTier(
  direction: Direction,
  connection: Connection,
  world: World,
  policies: readonly Policy[],
): Decision | null {
  for (const policy of policies) {
    const rule = policy.rules[direction].find((candidate) =>
      matches(candidate, direction, connection, world),
    );
    if (rule === undefined) continue;
    switch (rule.action) {
      case "allow":
        return { verdict: "allow", by: { policy, direction, rule } };
      case "deny":
      case "reject":
        return { verdict: "deny", by: { policy, direction, rule } };
      case "pass":
        return null;
      default:
        return unreachable(rule.action);
    }
  }
  const isolating = policies.find((policy) => policy.unmatched[direction] === "deny");
  return isolating === undefined
    ? null
    : { verdict: "deny", by: { policy: isolating, direction, rule: null } };
}

function matches(rule: Rule, direction: Direction, connection: Connection, world: World): boolean {
  invariant(rule.subject === null, "rules with a subject of their own are not judged yet");
  const peer = direction === "egress" ? connection.to : connection.from;
  if (!rule.peers.some((candidate) => isPeer(peer, candidate, world))) return false;
  return rule.ports === null || rule.ports.some((port) => isPort(connection, port));
}

function isPeer(end: End, peer: Peer, world: World): boolean {
  switch (peer.kind) {
    case "pods":
      return end.pod !== null && isOnPodNetwork(end.pod) && isMember(end.pod, peer, world);
    case "nodes":
      return world.nodes.some((node) => selects(peer.nodes, node.labels) && node.ips.includes(end.ip));
    case "network":
      return contains(peer.cidr, end.ip) && !peer.except.some((cidr) => contains(cidr, end.ip));
    case "everything":
      return true;
    default:
      return unreachable(peer);
  }
}

function isMember(pod: PodFact, group: PodGroup, { namespaces }: World): boolean {
  const namespace = namespaces.get(pod.namespace);
  if (namespace === undefined) return false;
  return selects(group.namespaces, namespace.labels) && selects(group.pods, pod.labels);
}

/** Ports are the destination's. A name is one of the destination pod's container ports, which gives the protocol too. */
function isPort({ to, protocol, port }: Connection, match: PortMatch): boolean {
  switch (match.kind) {
    case "port":
      return match.protocol === protocol && match.port === port;
    case "range":
      return match.protocol === protocol && match.start <= port && port <= match.end;
    case "named":
      return (to.pod?.ports ?? []).some(
        (declared) =>
          declared.name === match.name && declared.protocol === protocol && declared.port === port,
      );
    default:
      return unreachable(match);
  }
}
