// Where a unit's rows may differ from what is desired: rows to compare whole, or single elements of one. What is pending
// only says "look here"; what is to be done there is read from desired and actual state at the moment of planning.

import { PendingSets } from "../contents/pending-elements.ts";
import type { IpAddress } from "../model/ip.ts";
import type { NamedPortRule, UnitKey } from "./rows/unit.ts";

/** What planning reads. */
export interface ReadonlyPending {
  /** Everything the unit owns, rows that are not desired included. */
  readonly whole: boolean;
  /** Addresses, by Address_Set name. A set that is not desired is removed. */
  readonly addressSets: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** Port names, by Port_Group name. */
  readonly ports: ReadonlyMap<string, ReadonlySet<string> | "all">;
  /** Names of Port_Groups of which the references to ACLs are to be compared, with those ACLs. */
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
  /** Rules whose named ports are to be resolved again, at these addresses or everywhere: that is done before planning. */
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

  /** What is pending of the unit; nothing is afterwards. */
  take(unit: UnitKey): UnitPending | null {
    const pending = this.#units.get(unit) ?? null;
    this.#units.delete(unit);
    return pending;
  }
}
