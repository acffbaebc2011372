// The clock that two processes of one machine have in common: CLOCK_MONOTONIC, which Node's `performance` counts from the
// beginning of each process.

import { performance } from "node:perf_hooks";

/** Milliseconds since the machine was started. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A time that another process took with `monotonicMs`, on this process's `performance.now()`. */
export function asPerformance(monotonic: number): number {
  return monotonic - monotonicMs() + performance.now();
}
