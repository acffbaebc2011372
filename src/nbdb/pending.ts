// Where a unit's rows may differ from the desired ones: rows to compare whole, or single elements of one. It only says
// where to compare; the planner reads desired and actual state and decides what to do.

import type { Causes } from "../contents/corrections.ts";
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
  /** Names of Port_Groups that are added or removed, with all that refers to them: a desired one is compared, any other removed. */
  readonly portGroups: ReadonlySet<string>;
  /** Names of Port_Groups whose references to ACLs must be compared, together with those ACLs. */
  readonly aclReferences: ReadonlySet<string>;
  /** ACLs by id. */
  readonly acls: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

export class UnitPending implements ReadonlyPending, Causes {
  #isWhole: boolean;
  #drifted = false;
  #edited = false;
  #found = false;
  #onlyDrift = true;
  readonly #addressSets = new PendingSets<string>();
  readonly #ports = new PendingSets<string>();
  // null: none, as in most units of a pod's event.
  #portGroups: Set<string> | null = null;
  #aclReferences: Set<string> | null = null;
  #acls: Set<string> | null = null;
  readonly #namedPorts = new PendingSets<NamedPortRule, IpAddress>();

  constructor(whole = false) {
    this.#isWhole = whole;
  }

  get whole(): boolean {
    return this.#isWhole;
  }

  get drifted(): boolean {
    return this.#drifted;
  }

  get edited(): boolean {
    return this.#edited;
  }

  get found(): boolean {
    return this.#found;
  }

  /** Nothing but drift made it pending. */
  get onlyDrift(): boolean {
    return this.#onlyDrift;
  }

  get addressSets(): ReadonlyPending["addressSets"] {
    return this.#addressSets.places;
  }

  get ports(): ReadonlyPending["ports"] {
    return this.#ports.places;
  }

  get portGroups(): ReadonlySet<string> {
    return this.#portGroups ?? none;
  }

  get aclReferences(): ReadonlySet<string> {
    return this.#aclReferences ?? none;
  }

  get acls(): ReadonlySet<string> {
    return this.#acls ?? none;
  }

  /** Rules whose named ports must be resolved again before planning, at these addresses or everywhere. */
  get namedPorts(): ReadonlyMap<NamedPortRule, ReadonlySet<IpAddress> | "all"> {
    return this.#namedPorts.places;
  }

  /** It is pending for these causes, too. */
  add({ drifted, edited, found }: Partial<Causes>): void {
    this.#drifted ||= drifted === true;
    this.#edited ||= edited === true;
    this.#found ||= found === true;
  }

  /** It is pending for another reason than drift, too. */
  addOther(): void {
    this.#onlyDrift = false;
  }

  markWhole(): void {
    this.#isWhole = true;
  }

  markAddresses(set: string, addresses: Iterable<string> | "all"): void {
    this.#addressSets.mark(set, addresses);
  }

  markPorts(portGroup: string, names: Iterable<string> | "all"): void {
    this.#ports.mark(portGroup, names);
  }

  markPortGroup(name: string): void {
    (this.#portGroups ??= new Set()).add(name);
  }

  markReferences(portGroup: string): void {
    (this.#aclReferences ??= new Set()).add(portGroup);
  }

  markAcl(id: string): void {
    (this.#acls ??= new Set()).add(id);
  }

  markNamedPorts(rule: NamedPortRule, at: Iterable<IpAddress> | "all"): void {
    this.#namedPorts.mark(rule, at);
  }

  /** Their named ports are resolved: what that changed is marked. */
  resolvedNamedPorts(): void {
    this.#namedPorts.clear();
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
    const pending = this.#of(unit);
    pending.addOther();
    return pending;
  }

  /** For changes of rows that were not ordered, as far as known. */
  driftOf(unit: UnitKey): UnitPending {
    const pending = this.#of(unit);
    pending.add({ drifted: true });
    return pending;
  }

  isOnlyDrift(unit: UnitKey): boolean {
    return this.#units.get(unit)?.onlyDrift === true;
  }

  markWhole(unit: UnitKey, causes: Partial<Causes> = {}): void {
    const pending = this.of(unit);
    pending.markWhole();
    pending.add(causes);
  }

  isWhole(unit: UnitKey): boolean {
    return this.#units.get(unit)?.whole === true;
  }

  /** What is pending of a unit that may want names that none of its rows has had; null: it wants none. */
  wantingNames(unit: UnitKey): ReadonlyPending | null {
    const pending = this.#units.get(unit);
    return pending !== undefined && (pending.whole || pending.portGroups.size > 0) ? pending : null;
  }

  /** Returns what is pending of the unit and clears it. */
  take(unit: UnitKey): UnitPending | null {
    const pending = this.#units.get(unit) ?? null;
    this.#units.delete(unit);
    return pending;
  }

  #of(unit: UnitKey): UnitPending {
    let pending = this.#units.get(unit);
    if (pending === undefined) {
      pending = new UnitPending();
      this.#units.set(unit, pending);
    }
    return pending;
  }
}
