// What every planner of rows sees. Each returns the operations for its row, and none when nothing differs.

import type { Uuid } from "../../ovsdb/description.ts";
import type { Operation } from "../../ovsdb/operation.ts";
import type { Actual } from "../actual/actual.ts";
import type { Content } from "../desired/content.ts";
import type { SetContents } from "../desired/set-contents.ts";
import type { InFlight } from "../actual/in-flight.ts";

export interface PlanContext {
  readonly actual: Actual;
  readonly content: Content;
  readonly contents: SetContents;
  /** Rows of ours that left the cache without our doing, by name: deleted, or edited so that they no longer show as ours. */
  readonly lost: ReadonlyMap<string, Uuid>;
  readonly inFlight: InFlight;
  /** A name for a row inserted by this transaction, unique in it. */
  newName(): string;
}

/** What may be a transaction of its own. */
export interface Piece {
  readonly operations: readonly Operation[];
  /** PendingElements and rows written: how large a transaction gets by it. */
  readonly weight: number;
}
