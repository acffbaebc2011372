// Counters of the room's work, which only grow: tests hold costs by counting, never by clocks.

export interface Work {
  /** Times a selector was evaluated against a label set. */
  selectorEvaluations: number;
  /** Pairs of label identity and group looked at to see whether both halves of the group match. */
  candidateVisits: number;
  /** Groups that a change of one member was reported to. */
  groupVisits: number;
}

export function noWork(): Work {
  return { selectorEvaluations: 0, candidateVisits: 0, groupVisits: 0 };
}
