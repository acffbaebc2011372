// A rule's named port without destination: no pod that the rule could allow declares it. Neutral, so that every backend
// reports it alike.

import type { Direction } from "../ir.ts";

export interface UnmatchedPort {
  readonly direction: Direction;
  /** The rule's index in its direction. */
  readonly index: number;
  readonly name: string;
}
