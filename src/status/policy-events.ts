// Which events are written on a policy's object, for its owner. The kind supplies their texts; the event writer knows
// which ones it has already written. Pure.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem } from "../model/problem.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";

export function problemEvents(
  { kind, object }: PolicyRecord,
  problems: readonly Problem[],
): readonly PolicyEvent[] {
  return present(problems.map((problem) => kind.events.problem(object, problem)));
}

/**
 * Events for every policy that shares its kind, tier and priority with another; the event names the first other by
 * name.
 */
export function duplicateEvents(
  record: PolicyRecord,
  all: Iterable<PolicyRecord>,
): readonly { readonly record: PolicyRecord; readonly event: PolicyEvent }[] {
  const sharing = [...all]
    .filter((other) => shares(record, other))
    .sort((a, b) => (a.object.name < b.object.name ? -1 : 1));
  return sharing.flatMap((member) => {
    const other = sharing.find((candidate) => candidate !== member);
    if (other === undefined) return [];
    const event = member.kind.events.samePriority(member.object, other.object);
    return event === null ? [] : [{ record: member, event }];
  });
}

export function unmatchedPortEvents(
  { kind, object }: PolicyRecord,
  unmatched: readonly UnmatchedPort[],
): readonly PolicyEvent[] {
  return present(unmatched.map((port) => kind.events.unmatchedPort(object, port)));
}

function present(events: readonly (PolicyEvent | null)[]): readonly PolicyEvent[] {
  return events.filter((event) => event !== null);
}

function shares(one: PolicyRecord, other: PolicyRecord): boolean {
  return (
    one.policy !== null &&
    other.policy !== null &&
    one.kind === other.kind &&
    one.policy.tier.order === other.policy.tier.order &&
    one.policy.priority === other.policy.priority
  );
}
