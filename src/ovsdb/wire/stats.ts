// Counters of a session's work, which only grow. Plain numbers: an exporter reads them at each scrape.

export interface SessionStats {
  /** Transactions sent, and the operations in them. */
  readonly transactions: number;
  readonly operations: number;
  /** Transactions that the server refused. */
  readonly refusals: number;
  /** Attempts to connect, and those that ended with a filled cache. */
  readonly attempts: number;
  readonly fills: number;
  /** Updates of the server applied, fills included, and the row changes in them. */
  readonly updates: number;
  readonly rowChanges: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

export type Counters = { -readonly [C in keyof SessionStats]: number };

export function newCounters(): Counters {
  return {
    transactions: 0,
    operations: 0,
    refusals: 0,
    attempts: 0,
    fills: 0,
    updates: 0,
    rowChanges: 0,
    bytesSent: 0,
    bytesReceived: 0,
  };
}
