// What holds wherever the pods of workloads may be: of each row that a pair of ends may meet, not of one of them. With it a finding
// never rests on an address or a node that nobody has chosen.

import type { Pair } from "../verdicts/family-reach.ts";
import type { Row } from "../verdicts/row.ts";

/** The keys that every row has, with the value of the first. */
export function inEveryRow<Key, Value>(
  { rows }: Pick<Pair, "rows">,
  itemsOf: (row: Row) => ReadonlyMap<Key, Value>,
): ReadonlyMap<Key, Value> {
  const [first, ...others] = rows.map(itemsOf);
  if (first === undefined || others.length === 0) return first ?? new Map<Key, Value>();
  return new Map([...first].filter(([key]) => others.every((items) => items.has(key))));
}

/** One answer for each row. */
export function onceForEachRow<Answer>(answerOf: (row: Row) => Answer): (row: Row) => Answer {
  const known = new Map<Row, Answer>();
  return (row) => {
    const answer = known.get(row) ?? answerOf(row);
    known.set(row, answer);
    return answer;
  };
}
