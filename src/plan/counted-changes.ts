// How many rows a plan adds, changes and deletes, beside the changes themselves: for every backend alike.

import type { RowChange, RowChanges } from "./report.ts";

export function countedChanges(changes: readonly RowChange[]): RowChanges {
  const count = (op: RowChange["op"]) => changes.filter((change) => change.op === op).length;
  return { add: count("add"), change: count("change"), delete: count("delete"), changes };
}

/** What became of a row; undefined: it was not there, or is not. */
export function opOf(was: object | undefined, is: object | undefined): RowChange["op"] {
  return was === undefined ? "add" : is === undefined ? "delete" : "change";
}
