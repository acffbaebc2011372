// Which events are written on a policy's object, for its owner, and which of them are findings for readers of a log or
// a terminal instead. The kind supplies their texts; the caller knows which ones were reported already. Pure.

import type { PolicyRecord } from "../controller/engine.ts";
import { rankOf } from "../controller/records.ts";
import type { Problem } from "../model/problem.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { PolicyPart } from "../policy/contracts/backend.ts";
import type { UnmatchedPort } from "../policy/contracts/unmatched-port.ts";

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

/** For every policy that shares its kind, tier and priority with another: names the first other by name. Each once. */
export function allDuplicates(all: Iterable<PolicyRecord>): readonly Advice[] {
  const groups = Map.groupBy(all, rankOf);
  groups.delete(null);
  return [...groups.values()].flatMap((equals) => {
    const sharing = equals.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const [first, second] = sharing;
    return first === undefined || second === undefined ? [] : adviceOfEquals(sharing, first, second);
  });
}

/** For records of one rank, of which `first` and `second` have the first names of all. */
export function adviceOfEquals(
  records: readonly PolicyRecord[],
  first: PolicyRecord,
  second: PolicyRecord,
): readonly Advice[] {
  return records.flatMap((record) => {
    const other = record.key === first.key ? second : first;
    const event = record.kind.events.samePriority?.(record.object, other.object);
    return event === undefined ? [] : [{ record, event, part: { kind: "priority" } }];
  });
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

function present(events: readonly (PolicyEvent | null)[]): readonly PolicyEvent[] {
  return events.filter((event) => event !== null);
}
