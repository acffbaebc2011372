// What explain prints of each connection that it is asked about, in the shape of its JSON: what the policies say, and with
// --nb what the rows say.

import type { Told as ToldOfPolicies } from "../explain/answer.ts";
import type { RowsAnswer } from "./row-answers.ts";

interface NotAnswered {
  readonly error: string;
}

export type Answered = Exclude<ToldOfPolicies, NotAnswered> & { readonly rows?: RowsAnswer };

/** An answer, or why there is none. */
export type Told = Answered | NotAnswered;
