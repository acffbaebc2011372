// A connection of which the later policies may give a verdict that the earlier ones could not give.

import type { Connection } from "../policy/evaluate.ts";
import type { Verdict } from "../policy/ties.ts";

export interface Difference {
  readonly connection: Connection;
  readonly before: ReadonlySet<Verdict>;
  readonly after: ReadonlySet<Verdict>;
}
