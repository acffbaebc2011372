// How much the room has worked, as counters that only grow: costs are held by counted tests, never by clocks.

export interface Work {
  /** Times a selector was evaluated against a label set. */
  selectorEvaluations: number;
  /** Pairs of label identity and group looked at to see whether both halves of the group match. */
  candidateVisits: number;
  /** Groups a change of one member was reported to. */
  groupVisits: number;
}

export function noWork(): Work {
  return { selectorEvaluations: 0, candidateVisits: 0, groupVisits: 0 };
}
