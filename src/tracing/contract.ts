// What a run says to its tracing: passes of the loop, and commits in them.

export interface Tracing {
  /** A transaction has been answered: it had `operations`, and took so long from the first of them. */
  committed(operations: number, milliseconds: number): void;
  /** A pass has ended that took `keys` from the queue; the commits since the pass before were in it. */
  passed(keys: number, milliseconds: number): void;
  /** Sends what waits, for a bounded time. Never rejects. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;

/** Without an endpoint. */
export const noTracing: Tracing = { committed: nothing, passed: nothing, close: () => Promise.resolve() };
