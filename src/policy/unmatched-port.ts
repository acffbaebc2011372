// A rule's named port that leads nowhere: no pod that the rule could let through declares it. Neutral, so that a report
// reads the same whatever backend found it.

import type { Direction } from "./ir.ts";

export interface UnmatchedPort {
  readonly direction: Direction;
  /** The rule's place in its direction. */
  readonly index: number;
  readonly name: string;
}
