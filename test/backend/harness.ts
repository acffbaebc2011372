// What the backend contract needs of a store and the backends on it. One harness is one store: backends come and go over it,
// as a program does that is started again.

import type { Backend } from "../../src/policy/contracts/backend.ts";
import type { Connection } from "../../src/policy/evaluate.ts";
import type { Policy, PolicyKey } from "../../src/policy/ir.ts";
import type { Membership } from "../../src/policy/contracts/membership.ts";
import type { Verdict } from "./memory-judge.ts";

export interface BackendOptions {
  readonly membership: Membership;
  readonly mayExist: (key: PolicyKey) => boolean;
}

/** What the store holds at one moment. */
export interface Snapshot {
  /** Canonical JSON of what the backends wrote; comparable between snapshots of one harness. */
  readonly state: string;
  /** As `state`, for comparing with a start on an empty store: without what depends on history. */
  readonly fresh: string;
  /** Canonical JSON of everything else. */
  readonly foreign: string;
  /** The verdict that the stored state gives; never the IR's. */
  judge(connection: Connection): Verdict;
}

export interface Harness {
  /** Connects the next program; the one before is ended. Resolves when the program is connected. */
  connect(): Promise<void>;
  /** The connected program's backend; called once after `connect`. */
  backend(options: BackendOptions): Backend;
  /** Its priorities are of what is desired alone: what is written again may change places with what is kept (README: known gap). */
  readonly ranksDesiredAlone?: true;
  /** Of so many random trials one is played; 1 unless given. */
  readonly trialsIn?: number;
  /** Values of the contract, by name, that the backend refuses; it says all others. */
  readonly refuses: ReadonlySet<string>;
  snapshot(): Promise<Snapshot>;
  /** Rows, rules and elements that the connected program wrote since `connect`. */
  written(): number;
  /** Things of somebody else, some of which look nearly like ours. */
  plantForeign(): Promise<void>;
  /** The store refuses what the policy needs beyond what is there of it already, until it is unblocked. */
  block(policy: Policy): Promise<void>;
  unblock(policy: Policy): Promise<void>;
  cut(): void | Promise<void>;
  restore(): void | Promise<void>;
  /** The next write is done, and the connection is lost before its answer. */
  loseNextAnswer(): void;
  /** Empties the store but for what every cluster has, and ends the connected program. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}
