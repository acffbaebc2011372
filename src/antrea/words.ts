// What is reported to Antrea's users about a policy: the condition and the values that Antrea's own controller writes, and
// events in the style of the other kinds. The condition says whether the policy can be expressed; the phase says how far it is
// realized. Two policies of one priority are in no conflict, because rules have an order of their own then.

import { eventWords } from "../kubernetes/events.ts";
import { printable } from "../model/quote.ts";
import type { ConditionWords, EventWords, Realization, Realized } from "../policy/contracts/dialect.ts";

/** One zone writes Antrea's own condition; with several, each writes one of its own. */
export function conditionType(type: string, zone: string | null): string {
  return zone === null ? type : `${type}-In-Zone-${zone}`;
}

/** Antrea's phases. What cannot be realized as written never leaves the first. */
const phases: Readonly<Record<Realization, string>> = {
  realized: "Realized",
  partly: "Pending",
  refused: "Pending",
  failed: "Failed",
  underWay: "Realizing",
  staged: "Pending",
};

export const conditions: ConditionWords = {
  type: (zone) => conditionType("Realizable", zone),
  reasons: { succeeded: "Realizable", failed: "NotRealizable" },
  success: "Every rule is in the OVN Northbound database",
  problem: () => null,
  isTrue: (realization) => realization === "realized" || realization === "underWay",
  summary,
};

/** Several zones would take turns with one value, so that none of them writes it. */
function summary({
  zone,
  realization,
  generation,
  nodes,
}: Realized): Readonly<Record<string, string | number>> {
  if (zone !== null) return {};
  return {
    phase: phases[realization],
    ...(generation === null ? {} : { observedGeneration: generation }),
    // What is written is written for all nodes at once, and the chassis are proven together.
    currentNodesRealized: realization === "realized" ? nodes : 0,
    desiredNodesRealized: nodes,
  };
}

export function eventsOf(shortKind: string): EventWords {
  const common = eventWords(shortKind);
  return {
    ...common,
    samePriority: null,
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
