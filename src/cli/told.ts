// What explain prints of each connection that it is asked about, in the shape of its JSON.

import type { Answer, AnsweredVerdict } from "../explain/answer.ts";
import type { RowsAnswer } from "./row-answers.ts";

/** With `expect`: what was expected, and whether it is so. With --nb: what the rows say. */
export interface Added {
  readonly rows?: RowsAnswer;
  readonly expected?: AnsweredVerdict;
  readonly met?: boolean;
}

export type Answered = Answer & Added;

/** An answer, or why there is none. */
export type Told = Answered | { readonly error: string };
