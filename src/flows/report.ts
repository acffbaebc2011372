// What a plan says of recorded connections, in the shape of its JSON. Fields may be added to it and are never renamed.

import type { Answer, AnsweredVerdict, Caveat } from "../explain/answer.ts";
import type { Flow, FlowRecord } from "../observe/record/record.ts";
import type { Both } from "../verdicts/worlds.ts";

/** A recorded connection whose verdict changes. */
export interface FlowChange extends Flow {
  readonly old: AnsweredVerdict;
  readonly new: AnsweredVerdict;
  readonly by: Both<Pick<Answer, "egress" | "ingress">>;
  readonly caveats: Both<readonly Caveat[]>;
}

/** A recorded connection that could not be judged. */
export interface UnjudgedFlow extends Flow {
  readonly why: string;
}

export interface Counted {
  /** Distinct ones. */
  readonly flows: number;
  /** How often they were opened. */
  readonly connections: number;
}

export interface FlowsReport extends Pick<FlowRecord, "since" | "until" | "nodes" | "notes" | "missed"> {
  readonly recorded: Counted;
  readonly changed: Counted;
  /** Unknown in both worlds. */
  readonly unknown: Counted;
  /** The old world says otherwise than what was seen: it may not be the world in which they were seen. */
  readonly otherwise: Counted;
  /** Worst first: what comes to be denied, to be allowed, to be unknown; of these the most often opened. */
  readonly changes: readonly FlowChange[];
  readonly unjudged: readonly UnjudgedFlow[];
}
