// What a kind of fault is, and what one time of it came to.

import type { Arena, ArenaOptions } from "../arena/arena.ts";

/** Milliseconds on the clock of `performance`, and counts. */
export interface Sample {
  /** From the end of the fault until the rows were a fresh start's. */
  readonly convergedMs: number;
  /** From the fault until another process's claim was committed; null: none was needed. */
  readonly takeoverMs: number | null;
  /** On rows, from the fault until they were right, by processes that lived to the end. */
  readonly operations: number;
}

export interface FaultKind {
  readonly group: string;
  readonly name: string;
  readonly arena: ArenaOptions;
  /** Of COUNT, how many times it is done. */
  readonly share: number;
  /** Most arenas at once: a fault that waits needs no processor. */
  readonly lanes: number;
  /** The bound of the issue for a takeover; null: there is none. */
  readonly takeoverBoundMs: number | null;
  /** It also judges what instances and policies say of themselves, and stands in the second table. */
  readonly judgesStatus?: true;
  run(arena: Arena): Promise<Sample>;
}
