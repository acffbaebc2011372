// One write to the API server for the write queue, what its answer means, and how it may end; and what every writer needs and
// counts.

import type { Clock, Random } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ApiRequest, KubeApi } from "../transport/api.ts";
import type { Failure } from "../transport/failure.ts";

export interface Write {
  readonly request: Omit<ApiRequest, "signal">;
  /** Its target in the log: lower-case plural, as in the API's paths. */
  readonly resource: string;
  /** What the log calls its key; the key itself unless given. */
  readonly shown?: string;
  /** Tried until it succeeds; any other write a few times, and only after failures that pass by themselves. */
  readonly insistent: boolean;
}

/** `moot`: no write is needed any more. */
export type WriteOutcome = "done" | "moot" | Failure;

/** `abandoned`: replaced, forgotten or stopped. A Failure: it was given up. */
export type End = WriteOutcome | "abandoned";

/** What every writer to the API server needs. */
export interface ApiWriterOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Called for our own bugs: the program must end; without it, the error is thrown. */
  readonly fatal?: (error: unknown) => void;
}

/** Counters of a writer's work. */
export interface WriteStats {
  /** Requests that the server carried out. */
  readonly writes: number;
  /** Writes that were not sent because the object already has their contents. */
  readonly skipped: number;
  /** Requests that failed, and writes that were dropped because too many waited. */
  readonly failures: number;
}
