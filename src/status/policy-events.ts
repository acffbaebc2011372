// What a policy's owner is told by events on the object itself, in the documented reasons and texts and, where those are
// silent, in their style. Pure: who has been told what already is the event writer's business.

import type { PolicyRecord } from "../controller/engine.ts";
import type { Problem, ProblemCode } from "../model/problem.ts";
import { printable } from "../model/quote.ts";
import type { UnmatchedPort } from "../policy/unmatched-port.ts";

export interface PolicyEvent {
  readonly type: "Warning";
  readonly reason: string;
  readonly message: string;
}

/** ANP for AdminNetworkPolicy, BANP for BaselineAdminNetworkPolicy. */
function abbreviation(kind: string): string {
  return kind.replaceAll(/[a-z]/g, "");
}

const reasons: Readonly<Partial<Record<ProblemCode, string>>> = {
  UnknownPeer: "WithUnknownPeer",
  UnknownPort: "WithUnknownPort",
  InvalidLogging: "WithInvalidLogging",
  RowRefused: "WithRefusedRows",
};

/** Of findings: the documented one for priorities, one for each that leaves the policy otherwise than written. */
export function problemEvents(
  { object }: PolicyRecord,
  problems: readonly Problem[],
): readonly PolicyEvent[] {
  const short = abbreviation(object.kind);
  return problems.flatMap((problem): readonly PolicyEvent[] => {
    if (problem.code === "UnsupportedPriority") {
      const message =
        `This ${short} ${object.name} has an unsupported priority ${priorityOf(object.spec)}; ` +
        "Please update the priority to a value between 0(highest priority) and 99(lowest priority)";
      return [{ type: "Warning", reason: `${short}WithUnsupportedPriority`, message }];
    }
    const reason = reasons[problem.code] ?? (problem.severity === "error" ? "WithInvalidSpec" : null);
    if (reason === null) return [];
    const place = problem.field === "" ? "" : `${problem.field}: `;
    const message = `This ${short} ${object.name}: ${printable(`${place}${problem.message}`)}`;
    return [{ type: "Warning", reason: `${short}${reason}`, message }];
  });
}

/** Of every policy that shares its tier and priority with another, naming the first other by name. */
export function duplicateEvents(
  record: PolicyRecord,
  all: Iterable<PolicyRecord>,
): readonly { readonly record: PolicyRecord; readonly event: PolicyEvent }[] {
  const sharing = [...all]
    .filter((other) => shares(record, other))
    .sort((a, b) => (a.object.name < b.object.name ? -1 : 1));
  if (sharing.length < 2) return [];
  return sharing.map((member) => {
    const short = abbreviation(member.object.kind);
    const other = sharing.find((candidate) => candidate !== member);
    const message =
      `This ${short} ${member.object.name} has a conflicting priority with ${short} ${other?.object.name ?? ""}:` +
      "Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior";
    return {
      record: member,
      event: { type: "Warning", reason: `${short}WithDuplicatePriority`, message },
    };
  });
}

export function unmatchedPortEvents(
  { object }: PolicyRecord,
  unmatched: readonly UnmatchedPort[],
): readonly PolicyEvent[] {
  const short = abbreviation(object.kind);
  return unmatched.map(({ direction, index, name }) => ({
    type: "Warning",
    reason: `${short}WithUnmatchedNamedPort`,
    message:
      `This ${short} ${object.name} names port ${printable(JSON.stringify(name), 80)} in ${direction} rule ${index}, ` +
      "which no container port of the selected pods has; that part of the rule matches nothing",
  }));
}

export function priorityOf(spec: unknown): string {
  const has = typeof spec === "object" && spec !== null && "priority" in spec;
  return has ? String(spec.priority) : "";
}

function shares(one: PolicyRecord, other: PolicyRecord): boolean {
  return (
    one.policy !== null &&
    other.policy !== null &&
    one.object.kind === other.object.kind &&
    one.policy.priority === other.policy.priority
  );
}
