// Every timing and size of a reflector, with the reason for its value.

export interface Timing {
  /** As client-go's default: an API server can answer this without strain. */
  readonly pageSize: number;
  /** A watch requests an end after a time drawn from this range, so that watches spread over the servers again. */
  readonly watchSeconds: readonly [number, number];
  /** An API server sends a bookmark about once a minute; three missed ones are a dead connection. */
  readonly progressMs: number;
  /** Without another sign of the API server for so long, a resource is probed. */
  readonly probeMs: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  /** CRDs that are installed later are picked up within this time. */
  readonly maxMissingMs: number;
  /** A server may ask us to wait, but not without limit. */
  readonly maxRetryAfterMs: number;
  /** A watch that ended sooner is restarted after a pause, because something is ending watches. */
  readonly shortWatchMs: number;
  /** Before a deletion is believed the server is asked whether the kind itself is deleted: by then all of its parts know. */
  readonly departureMs: number;
}

export const defaultTiming: Timing = {
  pageSize: 500,
  watchSeconds: [300, 600],
  progressMs: 180_000,
  probeMs: 10_000,
  initialBackoffMs: 500,
  maxBackoffMs: 30_000,
  maxMissingMs: 10_000,
  maxRetryAfterMs: 120_000,
  shortWatchMs: 10_000,
  departureMs: 250,
};
