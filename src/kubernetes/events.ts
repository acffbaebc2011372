// Events about a policy in OVN-Kubernetes' style: the reason begins with the kind's short name, the message names the
// object. A kind with documented texts of its own puts them before these.

import type { PolicyObject } from "../model/object.ts";
import type { Problem, ProblemCode } from "../model/problem.ts";
import { printable } from "../model/quote.ts";
import type { PolicyEvent } from "../model/policy-event.ts";
import type { EventWords } from "../policy/contracts/dialect.ts";

const reasons: Readonly<Partial<Record<ProblemCode, string>>> = {
  UnknownPeer: "WithUnknownPeer",
  UnknownPort: "WithUnknownPort",
  InvalidLogging: "WithInvalidLogging",
  RowRefused: "WithRefusedRows",
};

/** Events for findings: one for each finding by which the policy is not in force as written. */
export function eventWords(shortKind: string): EventWords {
  const warning = (reason: string, message: string): PolicyEvent => ({
    type: "Warning",
    reason: `${shortKind}${reason}`,
    message: `This ${shortKind} ${message}`,
  });
  return {
    problem(object: PolicyObject, problem: Problem) {
      const reason = reasons[problem.code] ?? (problem.severity === "error" ? "WithInvalidSpec" : null);
      if (reason === null) return null;
      const place = problem.field === "" ? "" : `${problem.field}: `;
      return warning(reason, `${object.name}: ${printable(`${place}${problem.message}`)}`);
    },
    samePriority: (object, other) =>
      warning(
        "WithDuplicatePriority",
        `${object.name} has a conflicting priority with ${shortKind} ${other.name}:` +
          "Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior",
      ),
    unmatchedPort: (object, { direction, index, name }) =>
      warning(
        "WithUnmatchedNamedPort",
        `${object.name} names port ${printable(JSON.stringify(name), 80)} in ${direction} rule ${index}, ` +
          "which no container port of the selected pods has; that part of the rule matches nothing",
      ),
  };
}
