// Does something again and again, at equal distances, until it is cancelled.

import type { Clock, Timer } from "./clock.ts";

/** The first time after `ms` milliseconds. What `task` throws ends it and goes to `fatal`: it is a bug of ours. */
export function every(clock: Clock, ms: number, task: () => void, fatal: (error: unknown) => void): Timer {
  let timer: Timer | null = null;
  const wait = (): void => {
    timer = clock.after(ms, () => {
      try {
        task();
      } catch (error) {
        fatal(error);
        return;
      }
      wait();
    });
  };
  wait();
  return {
    cancel: () => {
      timer?.cancel();
    },
  };
}
