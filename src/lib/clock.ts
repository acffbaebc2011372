// Time and randomness as arguments, so that tests control both.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds on a clock that never goes backwards. */
  now(): number;
  /** Runs `task` once, `ms` milliseconds from now. */
  after(ms: number, task: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return {
      cancel: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** A number in [0, 1), as Math.random gives. */
export type Random = () => number;
