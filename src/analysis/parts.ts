// Whether a rule, or one part of it, matches a connection. The judge (policy/evaluate.ts) is asked each time, about a policy
// with one rule whose other parts match everything: so there is one evaluator, and this file decides nothing itself.

import type { Connection, World } from "../policy/evaluate.ts";
import { firstMatch } from "../policy/evaluate.ts";
import type { Direction, Peer, Policy, PortMatch, Rule } from "../policy/ir.ts";
import { everyPod } from "../policy/ir.ts";

const anyPeer: readonly Peer[] = [{ kind: "everything" }];

/** One rule of a policy, in one direction of a connection. */
export interface Met {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
  readonly connection: Connection;
  readonly world: World;
}

/** The whole rule. */
export function matches({ policy, direction, rule, connection, world }: Met): boolean {
  const alone: Policy = { ...policy, rules: { ingress: [], egress: [], [direction]: [rule] } };
  return firstMatch(alone, direction, connection, world) !== null;
}

/** Whether the rule applies to the pod of its side. */
export function appliesTo(met: Met): boolean {
  return matchesWith(met, anyPeer, null);
}

/** Whether the connection came to its destination as the rule asks for: through a Service, where it does. */
export function matchesWay({ rule, connection }: Met): boolean {
  return rule.translated !== true || connection.translated === true;
}

/** However the connection came. */
function matchesWith(met: Met, peers: readonly Peer[], ports: readonly PortMatch[] | null): boolean {
  const connection = { ...met.connection, translated: true as const };
  return matches({ ...met, connection, rule: { ...met.rule, peers, ports } });
}

/** Whether one of these peers, or of the rule's own, is the other end. */
export function matchesPeer(met: Met, peers: readonly Peer[] = met.rule.peers): boolean {
  return matchesWith(met, peers, null);
}

/** Whether one of these ports, or of the rule's own, is the connection's. */
export function matchesPort(met: Met, ports: readonly PortMatch[] | null = met.rule.ports): boolean {
  return matchesWith(met, anyPeer, ports);
}

/** The same, whatever pods the rule applies to. */
export function matchesPortAlone(met: Met): boolean {
  const { policy, rule } = met;
  return matchesPort({ ...met, policy: { ...policy, subject: everyPod }, rule: { ...rule, subject: null } });
}
