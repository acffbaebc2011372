// The documented texts of OVN-Kubernetes for these kinds, word by word: users and alerts search for them.

import type { PolicyObject } from "../model/object.ts";
import type { Problem } from "../model/problem.ts";
import type { ConditionWords, EventWords } from "../policy/contracts/dialect.ts";
import { conditionWords } from "../kubernetes/conditions.ts";
import { eventWords } from "../kubernetes/events.ts";

/** The documented event for a priority without a place; every other event in the common style. */
export function eventsOf(shortKind: string): EventWords {
  const common = eventWords(shortKind);
  return {
    ...common,
    problem(object, problem) {
      if (problem.code !== "UnsupportedPriority") return common.problem(object, problem);
      const message =
        `This ${shortKind} ${object.name} has an unsupported priority ${priorityOf(object.spec)}; ` +
        "Please update the priority to a value between 0(highest priority) and 99(lowest priority)";
      return { type: "Warning", reason: `${shortKind}WithUnsupportedPriority`, message };
    },
  };
}

export const conditions: ConditionWords = conditionWords((object: PolicyObject, { code }: Problem) =>
  code === "UnsupportedPriority"
    ? `error attempting to add ANP ${object.name} with priority ${priorityOf(object.spec)} because, ` +
      "OVNK only supports priority ranges 0-99"
    : null,
);

function priorityOf(spec: unknown): string {
  const has = typeof spec === "object" && spec !== null && "priority" in spec;
  return has ? String(spec.priority) : "";
}
