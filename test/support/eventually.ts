// Waiting for what another process does: tries until the check passes, and lets its last failure out after a generous while,
// which is longer on a slow machine. Between two tries it waits as long as a try took, so that checks which start programs leave
// half of the time to what they wait for.

import { setTimeout as sleep } from "node:timers/promises";
import { patience } from "./patience.ts";

const [leastMs, mostMs] = [10, 250];

/** `timeoutMs` is for an idle machine. */
export async function eventually(check: () => void | Promise<void>, timeoutMs = 10_000): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const tried = performance.now();
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() - begun > patience(timeoutMs)) throw error;
      const took = performance.now() - tried;
      await sleep(Math.min(mostMs, Math.max(leastMs, took)));
    }
  }
}
