// What Antrea's users are told of a policy: the condition that Antrea's own controller writes, and events in the style
// of the other kinds. Two policies of one priority are in no conflict, because rules have an order of their own then.

import { eventWords } from "../kubernetes/events.ts";
import { printable } from "../model/quote.ts";
import type { ConditionWords, EventWords } from "../policy/dialect.ts";

export const conditions: ConditionWords = {
  // One zone writes Antrea's own condition; with several, each writes one of its own.
  type: (zone) => (zone === null ? "Realizable" : `Realizable-In-Zone-${zone}`),
  reasons: { succeeded: "Realizable", failed: "NotRealizable" },
  success: "Every rule is in the OVN Northbound database",
  problem: () => null,
};

export function eventsOf(shortKind: string): EventWords {
  const common = eventWords(shortKind);
  return {
    ...common,
    samePriority: () => null,
    problem(object, problem) {
      if (problem.code !== "Unsupported") return common.problem(object, problem);
      const message = printable(`${problem.field}: ${problem.message}`);
      return {
        type: "Warning",
        reason: `${shortKind}NotRealizable`,
        message: `This ${shortKind} ${object.name}: ${message}`,
      };
    },
  };
}
