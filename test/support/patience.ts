// The one place of time limits in tests. A limit is a bound against hanging, chosen for an idle machine; it grows with how
// slow the machine is: as jest.config.js measured at the start of the run, or as its load says now. Refuses to grow without
// end, so that a test that hangs ends.

import { availableParallelism, loadavg } from "node:os";

/** Milliseconds that the work of `measureSlowness` takes on the machine that the limits were chosen on, idle. */
const referenceMs = 100;
const most = 10;
/** Where jest.config.js leaves its measurement for the processes that run the tests. */
export const slownessVariable = "NORTHGATE_TEST_SLOWNESS";

export interface Machine {
  /** From `measureSlowness`. */
  readonly measured: number;
  /** Processes that run or wait, on average over the last minute. */
  readonly load: number;
  readonly processors: number;
}

/** What limits are multiplied with: 1 to 10. */
export function factorOf({ measured, load, processors }: Machine): number {
  return Math.min(most, Math.max(1, measured, load / processors));
}

/** The limit on this machine as it is now. */
export function patience(ms: number): number {
  return Math.round(ms * factorOf(machineNow()));
}

/** How many times as long as on the idle machine of reference a fixed piece of work takes now. */
export function measureSlowness(): number {
  const begun = performance.now();
  let length = 0;
  for (let round = 0; round < 400; round++) {
    const values = Array.from({ length: 2000 }, (_, at) => (at * 7919 + round) % 10007);
    length += JSON.stringify(values.sort((a, b) => a - b)).length;
  }
  if (length === 0) throw new Error("nothing was done");
  return (performance.now() - begun) / referenceMs;
}

function machineNow(): Machine {
  const measured = Number(process.env[slownessVariable] ?? 1);
  return { measured, load: loadavg()[0] ?? 0, processors: availableParallelism() };
}
