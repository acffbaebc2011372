// What explain prints for each connection in question, in the shape of its JSON: what the policies say, and with
// --nb what the rows say.

import type { RowsVerdict } from "../../backend-kind.ts";
import type { Answer, Expected, ManyAnswer } from "../../explain/answer.ts";

export type ShownAnswer = Answer & Expected & { readonly rows?: RowsVerdict };

/** Rows are asked about one connection at a time. */
export type ShownMany = ManyAnswer & Expected;

/** An answer, or why there is none. */
export type ShownAnswerOrError = ShownAnswer | ShownMany | { readonly error: string };

export function isMany(told: ShownAnswer | ShownMany): told is ShownMany {
  return "groups" in told;
}
