// One policy's desired rows, with those of its named ports as last resolved. When the policy is rendered again the same
// state takes the new rows in, rule by rule: what it holds of rules that did not change stays as it is.

import { sameSequence } from "../../lib/sequence.ts";
import type { Direction, Policy } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { DesiredAcl } from "../rows/acl.ts";
import type {
  DesiredAddressSet,
  NamedPortRule,
  NamedPortSet,
  PolicyRows,
  RenderedPolicy,
  RuleRows,
} from "../rows/render.ts";
import { allRules } from "../rows/render.ts";
import type { ResolvedPorts } from "./resolved-ports.ts";
import { resolvedPorts } from "./resolved-ports.ts";

/** A rule in its place whose rows are not the ones before; null: there was or is none in that place. */
export interface RuleChange {
  readonly before: RuleRows | null;
  readonly after: RuleRows | null;
}

/** What became of the named ports of rules that changed. */
export interface NamedPortsChange {
  /** Rules that lead where an earlier rule of the policy led, with that rule. */
  readonly carried: ReadonlyMap<NamedPortRule, NamedPortRule>;
  /** Ids of the ACLs that were or are desired for their named ports. */
  readonly acls: readonly string[];
  /** Names of the Address_Sets that were desired for their named ports. */
  readonly sets: readonly string[];
}

/** The rules whose rows differ. */
export function ruleChanges(before: PolicyRows | null, after: PolicyRows | null): readonly RuleChange[] {
  const changes: RuleChange[] = [];
  for (const direction of directions) {
    const [old, now] = [rulesOf(before, direction), rulesOf(after, direction)];
    for (let place = 0; place < Math.max(old.length, now.length); place++) {
      const [was, is] = [old[place] ?? null, now[place] ?? null];
      if (was !== is) changes.push({ before: was, after: is });
    }
  }
  return changes;
}

function rulesOf(rows: PolicyRows | null, direction: Direction): readonly RuleRows[] {
  return rows?.rules[direction] ?? [];
}

export class PolicyState implements RenderedPolicy {
  #policy: Policy;
  #rows: PolicyRows;
  readonly #acls = new Map<string, DesiredAcl>();
  readonly #sets = new Map<string, DesiredAddressSet>();
  readonly #named = new Map<NamedPortRule, ResolvedPorts>();

  /** Without rules: they are taken in as changes. */
  constructor(policy: Policy, rows: PolicyRows) {
    this.#policy = policy;
    this.#rows = rows;
  }

  get policy(): Policy {
    return this.#policy;
  }

  get rows(): PolicyRows {
    return this.#rows;
  }

  /** `changes`: from the rows that it has. */
  become(policy: Policy, rows: PolicyRows, changes: readonly RuleChange[]): NamedPortsChange {
    this.#policy = policy;
    this.#rows = rows;
    for (const { before, after } of changes) {
      replace(this.#acls, before?.acls, after?.acls, ({ id }) => id);
      replace(this.#sets, before?.addressSets, after?.addressSets, ({ name }) => name);
    }
    return this.#becomeNamedPorts(changes);
  }

  acl(id: string): DesiredAcl | null {
    const fixed = this.#acls.get(id);
    if (fixed !== undefined) return fixed;
    for (const { acls } of this.#named.values()) {
      const found = acls.find((acl) => acl.id === id);
      if (found !== undefined) return found;
    }
    return null;
  }

  *acls(): Generator<DesiredAcl> {
    yield* this.#acls.values();
    for (const { acls } of this.#named.values()) yield* acls;
  }

  addressSet(name: string): DesiredAddressSet | NamedPortSet | null {
    return this.#sets.get(name) ?? this.namedPortSets().find((set) => set.name === name) ?? null;
  }

  *addressSets(): Generator<DesiredAddressSet | NamedPortSet, void> {
    yield* this.#sets.values();
    yield* this.namedPortSets();
  }

  *namedPortSets(): Generator<NamedPortSet, void> {
    for (const { sets } of this.#named.values()) yield* sets;
  }

  /** In the rules' order. */
  namedPortRules(): readonly NamedPortRule[] {
    return allRules(this.#rows).flatMap(({ namedPorts }) => namedPorts ?? []);
  }

  /** Null for a rule that is not the policy's any more: it was edited since. */
  resolved(named: NamedPortRule): ResolvedPorts | null {
    return this.#named.get(named) ?? null;
  }

  #becomeNamedPorts(changes: readonly RuleChange[]): NamedPortsChange {
    const changed = changes.filter(({ before, after }) => namedPortsOf(before) !== namedPortsOf(after));
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

  /** What the rule's named ports are known to lead to, or nothing as yet. */
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

  /** The rule that stood in its place, or else any that the policy had. */
  #leadingAlike(now: NamedPortRule, inPlace: NamedPortRule | null): NamedPortRule | null {
    if (inPlace !== null && leadAlike(inPlace, now)) return inPlace;
    return this.#named.keys().find((named) => leadAlike(named, now)) ?? null;
  }
}

function namedPortsOf(rows: RuleRows | null): NamedPortRule | null {
  return rows?.namedPorts ?? null;
}

function namesOfSets({ sets }: ResolvedPorts): readonly string[] {
  return sets.map(({ name }) => name);
}

/** A key that stays keeps its place in the order. */
function replace<T>(
  index: Map<string, T>,
  before: readonly T[] = [],
  after: readonly T[] = [],
  keyOf: (row: T) => string,
): void {
  if (before === after) return;
  for (const row of after) index.set(keyOf(row), row);
  for (const row of before)
    if (index.get(keyOf(row)) === row && !after.includes(row)) index.delete(keyOf(row));
}

function leadAlike(a: NamedPortRule, b: NamedPortRule): boolean {
  return (
    a.direction === b.direction &&
    sameSequence(a.portNames, b.portNames) &&
    sameSequence(a.destinations, b.destinations)
  );
}
