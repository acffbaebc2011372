// Counters of one resource's reflector, for metrics, and why a list is made again. Every counter exists, at zero, from the start.

import type { FailureKind } from "../transport/failure.ts";

/** Why a list was made again. */
export const relistReasons = [
  /** The version to resume from was compacted away. */
  "expired",
  /** The list's own continuation was compacted away. */
  "continuation",
  /** The server counts versions again from the start: its data were restored from a backup. */
  "reset",
  /** Watches from this version delivered nothing several times in a row. */
  "stuck",
  /** The server refused the watch as requested, or does not know the resource any more. */
  "refused",
  /** An event of the watch is longer than is read: the object may fit into a page of a list. */
  "oversized",
] as const;
export type RelistReason = (typeof relistReasons)[number];

/** Failures after which the version to resume from is useless, and why the list is then made again. */
export const relistsAfter: Readonly<Record<FailureKind, RelistReason | null>> = {
  expired: "expired",
  missing: "refused",
  refused: "refused",
  forbidden: null,
  unauthorized: null,
  unavailable: null,
  malformed: null,
  oversized: "oversized",
};

export interface ResourceStats {
  /** Requests sent: pages of lists, and watches. */
  readonly requests: number;
  /** Lists that were fully absorbed. */
  readonly lists: number;
  readonly relists: Readonly<Record<RelistReason, number>>;
  /** Watches that the server accepted. */
  readonly watches: number;
  /** Additions, modifications and deletions that the server sent. */
  readonly events: number;
  readonly bookmarks: number;
  /** Lists and watches that failed. */
  readonly failures: number;
}

export type CountedStats = { -readonly [K in keyof ResourceStats]: ResourceStats[K] } & {
  relists: Record<RelistReason, number>;
};

export function noStats(): CountedStats {
  return {
    requests: 0,
    lists: 0,
    relists: { expired: 0, continuation: 0, reset: 0, stuck: 0, refused: 0, oversized: 0 },
    watches: 0,
    events: 0,
    bookmarks: 0,
    failures: 0,
  };
}
