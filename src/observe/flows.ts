// The contract of what says which flow entries of a switch are those of rules, as the databases have it now.

import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import type { TlsFiles } from "../ovsdb/index.ts";
import type { ConnectionState, ObservedRule } from "./rule.ts";

/** The entries of the switch with this cookie and this priority are those of the rule. */
export interface RuleFlow {
  readonly cookie: number;
  readonly priority: number;
  readonly rule: ObservedRule;
  readonly state: ConnectionState;
}

/** OVSDB remotes, comma-separated. */
export interface ObservedDatabases {
  readonly nb: string;
  readonly sb: string;
  readonly tls: TlsFiles | null;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface RuleFlows {
  /** Resolves when the databases were read. Rejects with an Error of one sentence when that takes too long. */
  opened(): Promise<void>;
  /** No two have the same cookie and priority. */
  flows(): readonly RuleFlow[];
  /** Why what is known may be old; none: it is as the databases are. */
  faults(): readonly string[];
  close(): Promise<void>;
}
