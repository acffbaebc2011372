// Waits with an end: by time, by a signal, or by what is waited for.

import type { Clock } from "./clock.ts";

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const woken = () => {
      timer.cancel();
      resolve();
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener("abort", woken);
      resolve();
    });
    signal.addEventListener("abort", woken, { once: true });
  });
}

/**
 * Whether the promise resolves within the time. Rejects as the promise does, if it does so in time; one that settles later
 * continues alone, and its failure is ignored.
 */
export async function endsWithin(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = clock.after(ms, () => {
    late.resolve(false);
  });
  try {
    return await Promise.race([promise.then(() => true), late.promise]);
  } finally {
    timer.cancel();
  }
}
