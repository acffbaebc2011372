// Which events are written on a policy's object, for its owner, and which of them are findings for whoever reads a log or
// a terminal instead. The kind supplies their texts; who tells them knows which ones were told already. Pure.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem } from "../model/problem.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { PolicyPart } from "../policy/backend.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";

export function problemEvents(
  { kind, object }: PolicyRecord,
  problems: readonly Problem[],
): readonly PolicyEvent[] {
  return present(problems.map((problem) => kind.events.problem(object, problem)));
}

/** What holds of a policy among the others and the pods: no mistake in its object alone. */
export interface Advice {
  readonly record: PolicyRecord;
  readonly event: PolicyEvent;
  /** What of the policy it is about. */
  readonly part: PolicyPart;
}

/**
 * For every policy that shares its kind, tier and priority with this one, and for this one; names the first other by
 * name.
 */
export function duplicates(record: PolicyRecord, all: Iterable<PolicyRecord>): readonly Advice[] {
  return adviceOfEquals([...all].filter((other) => shares(record, other)));
}

/** The same for all of them, each once. */
export function allDuplicates(all: Iterable<PolicyRecord>): readonly Advice[] {
  const placed = [...all].filter(({ policy }) => policy !== null);
  const groups = Map.groupBy(placed, ({ kind, policy }) =>
    [kind.ownerType, policy?.tier.order, policy?.priority].join(" "),
  );
  return [...groups.values()].flatMap(adviceOfEquals);
}

export function unmatchedPorts(record: PolicyRecord, unmatched: readonly UnmatchedPort[]): readonly Advice[] {
  const { kind, object } = record;
  return unmatched.flatMap((port) => {
    const event = kind.events.unmatchedPort(object, port);
    const { direction, index } = port;
    return event === null
      ? []
      : [{ record, event, part: { kind: "rule", direction, index, field: "ports" } }];
  });
}

function adviceOfEquals(equals: readonly PolicyRecord[]): readonly Advice[] {
  const sharing = equals.toSorted((a, b) => (a.object.name < b.object.name ? -1 : 1));
  return sharing.flatMap((record) => {
    const other = sharing.find((candidate) => candidate !== record);
    if (other === undefined) return [];
    const event = record.kind.events.samePriority(record.object, other.object);
    return event === null ? [] : [{ record, event, part: { kind: "priority" } }];
  });
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
