// What the committer writes: the operations of units, planned when they are asked for.

import type { Problem } from "../../model/problem.ts";
import type { Operation } from "../../ovsdb/notation/operation.ts";
import type { Piece } from "../plan/context.ts";
import type { Exchange } from "../plan/moves.ts";
import type { UnitKey } from "../rows/unit.ts";

/** The source of the committer's operations. */
export interface UnitSource {
  /**
   * Plans a unit against the present cache and clears what is pending of it; null when nothing is pending. `newName`
   * gives names for inserted rows, unique in their transaction.
   */
  plan(unit: UnitKey, newName: () => string): readonly Operation[] | null;
  /** Why the unit must not be written, before the database is asked; null: nothing is known against it. */
  clash(unit: UnitKey): Problem | null;
  /** An upper bound of the weight of all that `prewrite` gives; walks no member. */
  prewriteWeight(unit: UnitKey): number;
  /**
   * In which groups, one after the other, the units may take effect, so that no packet has a verdict that neither the rows before
   * nor those after give it; null: some of what exists is in force, and all must take effect at once.
   */
  inOrder(units: readonly UnitKey[]): readonly (readonly UnitKey[])[] | null;
  /** The unit's rows that may be written ahead, planned one by one as the caller asks for them. */
  prewrite(unit: UnitKey, newName: () => string): Iterable<Piece>;
  /** Gives the existing rows of the units the places that they have now, and changes nothing else of them. */
  moves(units: readonly UnitKey[]): readonly Operation[];
  /** Of the units, policies that are removed and those that take their places: they must change together. */
  exchange(units: readonly UnitKey[]): Exchange;
  /** Whether a shared unit is to be deleted that the round does not hold. */
  hasLeaving(): boolean;
  /**
   * Plans the deletion of shared units whose last users go with the operations, which are under way. Guarded, so that the
   * database refuses it when the operations are not done.
   */
  planFollowing(operations: readonly Operation[]): Following;
  /** The operations are about to be sent. */
  sending(operations: readonly Operation[]): void;
  /** The unit's rows were not written as planned: the whole unit must be compared again. */
  notWritten(unit: UnitKey): void;
}

export interface Batch {
  readonly keys: readonly UnitKey[];
  readonly operations: readonly Operation[];
}

/** A batch that is sent behind another, without waiting for the answer. */
export interface Following extends Batch {
  /** Preconditions: what the other batch must have done. */
  readonly guards: readonly Operation[];
}
