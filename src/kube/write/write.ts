// One write to the API server as the queue of writes sees it, what an answer means for it, and how it may end.

import type { ApiRequest } from "../transport/api.ts";
import type { Failure } from "../transport/failure.ts";

export interface Write {
  readonly request: Omit<ApiRequest, "signal">;
  /** What it writes to, in the log: lower-case plural, as in the API's paths. */
  readonly resource: string;
  /** What the log calls its key; the key itself unless given. */
  readonly shown?: string;
  /** Tried until it succeeds; any other one a few times, and only after failures that pass by themselves. */
  readonly insistent: boolean;
}

/** `moot`: there is nothing to write any more. */
export type Verdict = "done" | "moot" | Failure;

/** `abandoned`: replaced, forgotten or stopped. A Failure: it was given up. */
export type End = Verdict | "abandoned";

/** What a writer has done so far. */
export interface WriteStats {
  /** Requests that the server carried out. */
  readonly writes: number;
  /** What was not sent because it is there already. */
  readonly skipped: number;
  /** Requests that failed, and what was let go because too much waited. */
  readonly failures: number;
}
