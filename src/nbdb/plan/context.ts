// What every row planner reads. A planner returns the operations for its row, none when nothing differs. It changes no
// state: the same input gives the same operations.

import type { LostRows } from "../actual/lost-rows.ts";
import type { Uuid } from "../../ovsdb/notation/description.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Actual } from "../actual/actual.ts";
import type { InFlight } from "../actual/in-flight.ts";
import type { Content } from "../desired/content.ts";
import type { SetContents } from "../desired/set-contents.ts";
import type { UnitKey } from "../rows/unit.ts";
import type { SampleContext } from "./samples.ts";

export interface PlanContext {
  readonly actual: Actual;
  readonly content: Pick<Content, "hasAddress" | "hasPort" | "portNames">;
  readonly contents: Pick<SetContents, "of" | "mostOf" | "mostDestinations">;
  /**
   * Our rows that left the cache without our doing, by name: another client deleted them, or edited them so that they
   * no longer show as ours.
   */
  readonly lost: Pick<LostRows, "get" | "has">;
  readonly inFlight: Pick<InFlight, "isFresh">;
  /** How ACLs are sampled; null: they are not, or our collector is not there yet. */
  readonly samples: SampleContext | null;
  /** Ports that leave no group: those of policies that cannot be read, whose rows stay. */
  readonly keptPorts: ReadonlySet<Uuid>;
  /** A name for a row inserted by this transaction, unique in it. */
  newName(): string;
}

/** Operations that may form a transaction of their own. */
export interface Piece {
  readonly operations: readonly Operation[];
  /** Those that are as desired when it is done. */
  readonly units: readonly UnitKey[];
  /** Elements and rows written: how much larger they make a transaction. */
  readonly weight: number;
}
