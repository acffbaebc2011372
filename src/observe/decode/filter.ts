// Which events are wanted. Of a filter each part must hold; null: it asks for nothing.

import type { PodName, SeenEnd, SeenEvent, SeenVerdict } from "./event.ts";

export interface EventFilter {
  /** At either end. */
  readonly pod: PodName | null;
  /** Of the pod at either end, or of the policy. */
  readonly namespace: string | null;
  readonly policy: { readonly namespace: string | null; readonly name: string } | null;
  readonly verdict: SeenVerdict | null;
  readonly toPort: number | null;
  /** Packets of connections that were open, too. */
  readonly hasEstablished: boolean;
}

export function isWanted(event: SeenEvent, filter: EventFilter): boolean {
  const { pod, namespace, policy, verdict, toPort, hasEstablished } = filter;
  return (
    (hasEstablished || event.connection === "new") &&
    (verdict === null || event.verdict === verdict) &&
    (toPort === null || event.port === toPort) &&
    (pod === null || isAtEnd(event, (end) => isPod(end, pod))) &&
    (namespace === null || isOfNamespace(event, namespace)) &&
    (policy === null || isOfPolicy(event, policy))
  );
}

function isAtEnd({ from, to }: SeenEvent, is: (end: SeenEnd) => boolean): boolean {
  return is(from) || is(to);
}

function isPod({ pod }: SeenEnd, { namespace, name }: PodName): boolean {
  return pod !== null && pod.namespace === namespace && pod.name === name;
}

function isOfNamespace(event: SeenEvent, namespace: string): boolean {
  return (
    event.rule?.policy.namespace === namespace || isAtEnd(event, ({ pod }) => pod?.namespace === namespace)
  );
}

function isOfPolicy({ rule }: SeenEvent, { namespace, name }: NonNullable<EventFilter["policy"]>): boolean {
  if (rule === null) return false;
  return rule.policy.name === name && (namespace === null || rule.policy.namespace === namespace);
}
