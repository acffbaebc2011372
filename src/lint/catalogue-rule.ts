// A rule of the catalogue: what it finds, how bad that is, why it matters and what to do.

import type { Context } from "./context.ts";
import type { Draft } from "./draft.ts";
import type { Severity } from "./finding.ts";

export interface CatalogueRule {
  readonly id: string;
  /** In two or three words, in lower case. */
  readonly name: string;
  /** That its findings can have, the usual one first. */
  readonly severities: readonly [Severity, ...Severity[]];
  /** When it is found: one sentence without a full stop. */
  readonly found: string;
  /** Why it matters, and what to do: sentences. */
  readonly help: string;
  /** It is about rows, or about ways that OVN needs rows for: no question about a cluster without OVN. */
  readonly ofRows?: true;
  /** null: not a question about policies alone; lint.ts answers it. */
  readonly check: ((context: Context) => Iterable<Draft>) | null;
}
