// One unit's desired rows, with the rows of its named ports as last resolved. When the unit is rendered again, the same
// object takes the new rows part by part and leaves unchanged parts as they are.

import { isDeepStrictEqual } from "node:util";
import { isReused } from "../../lib/identity.ts";
import type { NamedPorts } from "../../contents/named-ports.ts";
import { Multimap } from "../../lib/multimap.ts";
import type { Differing } from "../../lib/sequence.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { IpAddress } from "../../model/ip.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import type {
  DesiredAddressSet,
  DesiredPortGroup,
  NamedPortRule,
  NamedPortSet,
  PartChange,
  UnitPart,
  UnitRows,
} from "../rows/unit.ts";
import type { NamedPortsChange } from "./rendering.ts";
import type { Present, Resolution, ResolvedPorts } from "./resolved-ports.ts";
import { resolvedPorts } from "./resolved-ports.ts";

/** An ACL with the name of the one port group that refers to it. */
export interface PlacedAcl {
  readonly acl: DesiredAcl;
  readonly portGroup: string | null;
  /** The rule whose named ports the match has; null: it depends on the policies alone. */
  readonly named: NamedPortRule | null;
}

/** The rows that are desired now; the planner reads them. */
export interface DesiredRows {
  readonly rows: UnitRows;
  portGroup(name: string): DesiredPortGroup | null;
  /** The parts whose ACLs the port group refers to. */
  partsOf(portGroup: string): Iterable<UnitPart>;
  acl(id: string): PlacedAcl | null;
  acls(): Iterable<DesiredAcl>;
  /** The ACLs that the port group refers to. */
  aclsOf(portGroup: string): Iterable<DesiredAcl>;
  addressSet(name: string): DesiredAddressSet | NamedPortSet | null;
  addressSets(): Iterable<DesiredAddressSet | NamedPortSet>;
}

export class UnitState implements DesiredRows {
  #rows: UnitRows;
  readonly #partsOf = new Multimap<string, UnitPart>();
  readonly #portGroups = new Map<string, DesiredPortGroup>();
  /** By ACL id. */
  readonly #partOfAcl = new Map<string, UnitPart>();
  readonly #sets = new Map<string, DesiredAddressSet>();
  readonly #named = new Map<NamedPortRule, ResolvedPorts>();

  /** Starts without parts and port groups: `become` adds them as changes. */
  constructor(rows: UnitRows) {
    this.#rows = rows;
  }

  get rows(): UnitRows {
    return this.#rows;
  }

  /** `changes` and `portGroups`: the differences from the present rows. */
  become(
    rows: UnitRows,
    changes: readonly PartChange[],
    { removed, added }: Differing<DesiredPortGroup>,
  ): NamedPortsChange {
    this.#rows = rows;
    for (const { name } of removed) this.#portGroups.delete(name);
    for (const group of added) this.#portGroups.set(group.name, group);
    for (const { before, after } of changes) {
      if (before !== null && before.portGroup !== null) this.#partsOf.remove(before.portGroup, before);
      if (after !== null && after.portGroup !== null) this.#partsOf.add(after.portGroup, after);
      this.#replaceAcls(before, after);
      this.#replaceSets(before, after);
    }
    return this.#becomeNamedPorts(changes);
  }

  /**
   * Resolves the rule's named ports again, at some addresses or everywhere, and makes the resulting rows desired. null:
   * an edit has since removed the rule from the unit.
   */
  resolve(
    named: NamedPortRule,
    addresses: ReadonlySet<IpAddress> | "all",
    ports: NamedPorts<string>,
    present: Present,
  ): Resolution | null {
    const resolution = this.#named.get(named)?.resolve(addresses, ports, present) ?? null;
    if (resolution !== null) this.#named.set(named, resolution.ports);
    return resolution;
  }

  portGroup(name: string): DesiredPortGroup | null {
    return this.#portGroups.get(name) ?? null;
  }

  partsOf(portGroup: string): ReadonlySet<UnitPart> {
    return this.#partsOf.get(portGroup);
  }

  acl(id: string): PlacedAcl | null {
    const part = this.#partOfAcl.get(id);
    const fixed = part?.acls.find((acl) => acl.id === id);
    if (part !== undefined && fixed !== undefined)
      return { acl: fixed, portGroup: part.portGroup, named: null };
    for (const [named, { acls }] of this.#named) {
      const acl = acls.find((one) => one.id === id);
      if (acl !== undefined) return { acl, portGroup: named.portGroup, named };
    }
    return null;
  }

  *acls(): Generator<DesiredAcl, void> {
    for (const { acls } of this.#rows.parts.values()) yield* acls;
    for (const { acls } of this.#named.values()) yield* acls;
  }

  *aclsOf(portGroup: string): Generator<DesiredAcl, void> {
    const parts = this.partsOf(portGroup);
    for (const { acls } of parts) yield* acls;
    for (const { namedPorts } of parts) if (namedPorts !== null) yield* this.resolved(namedPorts)?.acls ?? [];
  }

  addressSet(name: string): DesiredAddressSet | NamedPortSet | null {
    return this.#sets.get(name) ?? this.#namedPortSet(name);
  }

  *addressSets(): Generator<DesiredAddressSet | NamedPortSet, void> {
    yield* this.#sets.values();
    yield* this.namedPortSets();
  }

  *namedPortSets(): Generator<NamedPortSet, void> {
    for (const { sets } of this.#named.values()) yield* sets;
  }

  /** Whether any rule of the unit names ports. */
  get namesPorts(): boolean {
    return this.#named.size > 0;
  }

  namedPortRules(): readonly NamedPortRule[] {
    return [...this.#named.keys()];
  }

  /** Null for a rule that an edit has since removed from the unit. */
  resolved(named: NamedPortRule): ResolvedPorts | null {
    return this.#named.get(named) ?? null;
  }

  #namedPortSet(name: string): NamedPortSet | null {
    return this.namesPorts ? (this.namedPortSets().find((set) => set.name === name) ?? null) : null;
  }

  #replaceAcls(before: UnitPart | null, after: UnitPart | null): void {
    if (after !== null) for (const { id } of after.acls) this.#partOfAcl.set(id, after);
    for (const { id } of before?.acls ?? []) {
      if (this.#partOfAcl.get(id) === before) this.#partOfAcl.delete(id);
    }
  }

  #replaceSets(before: UnitPart | null, after: UnitPart | null): void {
    const [old, now] = [before?.addressSets ?? [], after?.addressSets ?? []];
    if (isReused(old, now)) return;
    for (const set of now) this.#sets.set(set.name, set);
    for (const set of old)
      if (this.#sets.get(set.name) === set && !now.includes(set)) this.#sets.delete(set.name);
  }

  #becomeNamedPorts(changes: readonly PartChange[]): NamedPortsChange {
    const changed = changes.filter(
      ({ before, after }) => !isReused(namedPortsOf(before), namedPortsOf(after)),
    );
    const carried = new Map<NamedPortRule, NamedPortRule>();
    const come = new Map<NamedPortRule, ResolvedPorts>();
    const gone: ResolvedPorts[] = [];
    for (const { before, after } of changed) {
      const [old, now] = [namedPortsOf(before), namedPortsOf(after)];
      gone.push(...this.#resolvedOf(old));
      if (now !== null) come.set(now, this.#carry(now, old, carried));
    }
    for (const { before } of changed) if (before?.namedPorts) this.#named.delete(before.namedPorts);
    for (const [now, ports] of come) this.#named.set(now, ports);
    const kept = new Set(come.values().flatMap(namesOfSets));
    const acls = [...gone, ...come.values()].flatMap((ports) => ports.acls.map(({ id }) => id));
    return { carried, acls, sets: gone.flatMap(namesOfSets).filter((name) => !kept.has(name)) };
  }

  #resolvedOf(named: NamedPortRule | null): readonly ResolvedPorts[] {
    const ports = named && this.resolved(named);
    return ports === null ? [] : [ports];
  }

  /** The known destinations of the rule's named ports, or an empty resolution. */
  #carry(
    now: NamedPortRule,
    inPlace: NamedPortRule | null,
    carried: Map<NamedPortRule, NamedPortRule>,
  ): ResolvedPorts {
    const earlier = this.#leadingAlike(now, inPlace);
    const ports = earlier && (this.resolved(earlier)?.carriedTo(now) ?? null);
    if (earlier === null || ports === null) return resolvedPorts(now);
    carried.set(now, earlier);
    return ports;
  }

  /** The rule that was in its place, or else any rule of the policy that resolves alike. */
  #leadingAlike(now: NamedPortRule, inPlace: NamedPortRule | null): NamedPortRule | null {
    if (inPlace !== null && leadAlike(inPlace, now)) return inPlace;
    return this.#named.keys().find((named) => leadAlike(named, now)) ?? null;
  }
}

function namedPortsOf(rows: UnitPart | null): NamedPortRule | null {
  return rows?.namedPorts ?? null;
}

function namesOfSets({ sets }: ResolvedPorts): readonly string[] {
  return sets.map(({ name }) => name);
}

function leadAlike(a: NamedPortRule, b: NamedPortRule): boolean {
  return (
    a.direction === b.direction &&
    sameSequence(a.destinations, b.destinations) &&
    sameSequence(a.sources, b.sources) &&
    isDeepStrictEqual(a.wanted, b.wanted) &&
    isDeepStrictEqual(a.declared, b.declared)
  );
}
