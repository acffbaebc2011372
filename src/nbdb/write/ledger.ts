// The results for units, collected over the transactions of one commit: what is as desired, and what the database refused.

import type { Problem } from "../../model/problem.ts";
import type { UnitKey } from "../rows/unit.ts";

export class Ledger {
  readonly #settled = new Set<UnitKey>();
  readonly #refused: (unit: UnitKey, problem: Problem) => void;

  /** `refused`: is called at once with each unit that is refused. */
  constructor(refused: (unit: UnitKey, problem: Problem) => void) {
    this.#refused = refused;
  }

  /** Units whose rows are as desired. */
  get settled(): ReadonlySet<UnitKey> {
    return this.#settled;
  }

  settle(units: Iterable<UnitKey>): void {
    for (const unit of units) this.#settled.add(unit);
  }

  /** It was refused with another unit. */
  unsettle(unit: UnitKey): void {
    this.#settled.delete(unit);
  }

  refuse(unit: UnitKey, problem: Problem): void {
    this.unsettle(unit);
    this.#refused(unit, problem);
  }
}
