// Whether a rule, or one part of it, matches a connection. What each part means is documented where the judge has it
// (policy/matching.ts), so there is one evaluator, and this file decides nothing itself.

import type { Connection, World } from "../policy/evaluate.ts";
import type { Direction, Policy, Rule } from "../policy/ir.ts";
import { everyPod } from "../policy/ir.ts";
import * as rules from "../policy/matching.ts";
import { formOf } from "../policy/normal-form.ts";

/** One rule of a policy, in one direction of a connection. */
export interface MatchedRule {
  readonly policy: Policy;
  readonly direction: Direction;
  readonly rule: Rule;
  readonly connection: Connection;
  readonly world: World;
}

/** The whole rule. */
export function matches(met: MatchedRule): boolean {
  const { rule, direction, connection, world } = met;
  return appliesTo(met) && rules.matches(rule, direction, connection, world);
}

/** Whether the rule applies to the pod of its side. */
export function appliesTo({ policy, direction, rule, connection, world }: MatchedRule): boolean {
  return rules.isSelected(rules.subjectOf(connection, direction), rule.subject ?? policy.subject, world);
}

/** Whether the connection reached its destination as the rule demands: through a Service, where it does. */
export function matchesWay({ rule, direction, connection }: MatchedRule): boolean {
  return rules.hasWay(formOf(rule, direction), connection);
}

/** Whether the other end is one of the rule's peers, however the connection arrived and whatever else the rule demands. */
export function matchesPeer(met: MatchedRule): boolean {
  const { rule, direction, connection, world } = met;
  const { source, destination } = formOf(rule, direction);
  const peers = direction === "ingress" ? { source, destination: null } : { source: null, destination };
  return appliesTo(met) && rules.hasEnds(peers, direction, connection, world);
}

/** Whether the address of the pod that the rule applies to is one that it matches by. */
export function matchesOwn({ rule, direction, connection, world }: MatchedRule): boolean {
  const { source, destination } = formOf(rule, direction);
  const own = direction === "ingress" ? { source: null, destination } : { source, destination: null };
  return rules.hasEnds(own, direction, connection, world);
}

/** Whether the connection's ports are the rule's, however it arrived and whatever the other end is. */
export function matchesPort(met: MatchedRule): boolean {
  return appliesTo(met) && hasPort(met);
}

/** The same, whatever pods the rule applies to. */
export function matchesPortAlone(met: MatchedRule): boolean {
  const { direction, connection, world } = met;
  return rules.isSelected(rules.subjectOf(connection, direction), everyPod, world) && hasPort(met);
}

/** Whether the rule would match if every end were its peer. */
export function matchesButPeers(met: MatchedRule): boolean {
  return matchesWay(met) && matchesOwn(met) && matchesPort(met);
}

function hasPort({ rule, direction, connection, world }: MatchedRule): boolean {
  return rules.hasTraffic(formOf(rule, direction), connection, world);
}
