// What explain prints for each connection in question, in the shape of its JSON: what the policies say, and with
// --nb what the rows say.

import type { RowsVerdict } from "../../backend-kind.ts";
import type { AnswerOrError as ToldOfPolicies } from "../../explain/answer.ts";

interface NotAnswered {
  readonly error: string;
}

export type ShownAnswer = Exclude<ToldOfPolicies, NotAnswered> & { readonly rows?: RowsVerdict };

/** An answer, or why there is none. */
export type ShownAnswerOrError = ShownAnswer | NotAnswered;
