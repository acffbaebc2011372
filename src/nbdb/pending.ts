// Where a unit's rows may differ from the desired ones: rows to compare whole, or single elements of one. It only says
// where to compare; the planner reads desired and actual state and decides what to do.

import { PendingSets } from "../contents/pending-elements.ts";
import type { IpAddress } from "../model/ip.ts";
import type { NamedPortRule, UnitKey } from "./rows/unit.ts";

/** The part that the planner reads. */
export interface ReadonlyPending {
  /** Everything the unit owns, rows that are not desired included. */
  readonly whole: boolean;
  /** Addresses, by Address_Set name. A set that is not desired is removed. */
  readonly addressSets: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** Port names, by Port_Group name. */
  readonly ports: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** Names of Port_Groups whose references to ACLs must be compared, together with those ACLs. */
  readonly aclReferences: ReadonlySet<string>;
  /** ACLs by id. */
  readonly acls: ReadonlySet<string>;
}

export class UnitPending implements ReadonlyPending {
  whole: boolean;
  readonly addressSets = new PendingSets<string>();
  readonly ports = new PendingSets<string>();
  readonly aclReferences = new Set<string>();
  readonly acls = new Set<string>();
  /** Rules whose named ports must be resolved again before planning, at these addresses or everywhere. */
  readonly namedPorts = new PendingSets<NamedPortRule, IpAddress>();

  constructor(whole = false) {
    this.whole = whole;
  }
}

export class Pending {
  readonly #units = new Map<UnitKey, UnitPending>();

  get size(): number {
    return this.#units.size;
  }

  units(): IterableIterator<UnitKey> {
    return this.#units.keys();
  }

  has(unit: UnitKey): boolean {
    return this.#units.has(unit);
  }

  of(unit: UnitKey): UnitPending {
    let pending = this.#units.get(unit);
    if (pending === undefined) {
      pending = new UnitPending();
      this.#units.set(unit, pending);
    }
    return pending;
  }

  markWhole(unit: UnitKey): void {
    this.of(unit).whole = true;
  }

  isWhole(unit: UnitKey): boolean {
    return this.#units.get(unit)?.whole === true;
  }

  /** Returns what is pending of the unit and clears it. */
  take(unit: UnitKey): UnitPending | null {
    const pending = this.#units.get(unit) ?? null;
    this.#units.delete(unit);
    return pending;
  }
}
