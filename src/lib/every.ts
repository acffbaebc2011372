// Does something again and again, at equal distances, until it is cancelled.

import type { Clock, Timer } from "./clock.ts";

/** The first time after `ms` milliseconds. What `task` throws ends it. */
export function every(clock: Clock, ms: number, task: () => void): Timer {
  let timer: Timer | null = null;
  const wait = (): void => {
    timer = clock.after(ms, () => {
      task();
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
