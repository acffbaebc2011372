// Waiting for what other processes do. A limit is a bound against hanging and grows with the machine's load.

import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "../../test/support/patience.ts";

const pollMs = 10;

/** Resolves with the milliseconds that it took; rejects with what was waited for. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await check()) return performance.now() - began;
    if (performance.now() - began > patience(limitMs))
      throw new Error(`not within ${Math.round((performance.now() - began) / 1000)} s: ${what}`);
    await sleep(pollMs);
  }
}
