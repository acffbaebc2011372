// The desired rows of every policy, and who is concerned when a group's contents change. A function of the policies
// alone; what members add is asked of content.ts when rows are planned.

import { Multimap } from "../lib/multimap.ts";
import type { IpFamily } from "../model/ip.ts";
import type { GroupKey, Policy, PolicyKey } from "../policy/ir.ts";
import type { DesiredAcl } from "./acl.ts";
import type { DesiredAddressSet, Manner, NamedPortRule, NamedPortSet, PolicyRows } from "./render.ts";
import { renderPolicy } from "./render.ts";
import type { ResolvedPorts } from "./resolved-ports.ts";
import { resolvedPorts } from "./resolved-ports.ts";

/** One policy's rows, with those of its named ports as last resolved. */
export class PolicyState {
  readonly policy: Policy;
  readonly rows: PolicyRows;
  readonly #fixed: ReadonlyMap<string, DesiredAcl>;
  readonly #sets: ReadonlyMap<string, DesiredAddressSet>;
  readonly #named: ReadonlyMap<NamedPortRule, ResolvedPorts>;

  /** Rules whose named ports lead where an earlier rule's led, with that rule. */
  readonly carried: ReadonlyMap<NamedPortRule, NamedPortRule>;

  /** `before`: the same policy as it read until now. */
  constructor(policy: Policy, rows: PolicyRows, before: PolicyState | null) {
    this.policy = policy;
    this.rows = rows;
    this.#fixed = new Map(rows.acls.map((acl) => [acl.id, acl]));
    this.#sets = new Map(rows.addressSets.map((set) => [set.name, set]));
    const carried = new Map<NamedPortRule, NamedPortRule>();
    this.#named = new Map(
      rows.namedPortRules.map((named) => {
        const earlier = before?.rows.namedPortRules.find((rule) => leadAlike(rule, named));
        const ports = earlier === undefined ? null : (before?.resolved(earlier)?.carriedTo(named) ?? null);
        if (earlier !== undefined && ports !== null) carried.set(named, earlier);
        return [named, ports ?? resolvedPorts(named)];
      }),
    );
    this.carried = carried;
  }

  acl(id: string): DesiredAcl | null {
    const fixed = this.#fixed.get(id);
    if (fixed !== undefined) return fixed;
    for (const { acls } of this.#named.values()) {
      const found = acls.find((acl) => acl.id === id);
      if (found !== undefined) return found;
    }
    return null;
  }

  *acls(): Generator<DesiredAcl> {
    yield* this.#fixed.values();
    for (const { acls } of this.#named.values()) yield* acls;
  }

  addressSet(name: string): DesiredAddressSet | NamedPortSet | null {
    return this.#sets.get(name) ?? this.namedPortSets().find((set) => set.name === name) ?? null;
  }

  *addressSets(): Generator<DesiredAddressSet | NamedPortSet, void> {
    yield* this.rows.addressSets;
    yield* this.namedPortSets();
  }

  *namedPortSets(): Generator<NamedPortSet, void> {
    for (const { sets } of this.#named.values()) yield* sets;
  }

  /** Null for a rule that is not the policy's any more: it was edited since. */
  resolved(named: NamedPortRule): ResolvedPorts | null {
    return this.#named.get(named) ?? null;
  }
}

/** A policy whose rows were rendered: what they were before, and are now. */
export interface Rendering {
  readonly before: PolicyRows | null;
  readonly after: PolicyRows;
  /** As PolicyState.carried. */
  readonly carried: ReadonlyMap<NamedPortRule, NamedPortRule>;
  /** Sets of named ports, by name, that were desired before. */
  readonly namedPortSets: readonly string[];
}

export class Desired {
  readonly #manner: Manner;
  #families: readonly IpFamily[] = [];
  readonly #states = new Map<PolicyKey, PolicyState>();
  readonly #addressSets = new Multimap<GroupKey, { policy: PolicyKey; set: DesiredAddressSet }>();
  readonly #subjects = new Multimap<GroupKey, PolicyState>();
  readonly #namedPorts = new Multimap<GroupKey, { policy: PolicyKey; named: NamedPortRule }>();
  readonly #undo = new Map<PolicyKey, () => void>();

  constructor(manner: Manner) {
    this.#manner = manner;
  }

  get(key: PolicyKey): PolicyState | null {
    return this.#states.get(key) ?? null;
  }

  keys(): IterableIterator<PolicyKey> {
    return this.#states.keys();
  }

  states(): IterableIterator<PolicyState> {
    return this.#states.values();
  }

  /** Renders the policy's rows in place of what it had. */
  upsert(policy: Policy): Rendering {
    const after = renderPolicy(policy, { ...this.#manner, families: this.#families });
    const before = this.remove(policy.key);
    const state = new PolicyState(policy, after, before);
    this.#states.set(policy.key, state);
    this.#undo.set(policy.key, this.#file(state));
    const sets = before?.namedPortSets() ?? [];
    const { carried } = state;
    const namedPortSets = Array.from(sets, ({ name }) => name);
    return { before: before?.rows ?? null, after, carried, namedPortSets };
  }

  /** Rows are for these families from now on; returns what was rendered again. */
  serve(families: readonly IpFamily[]): readonly Rendering[] {
    this.#families = families;
    return [...this.#states.values()].map(({ policy }) => this.upsert(policy));
  }

  remove(key: PolicyKey): PolicyState | null {
    const before = this.#states.get(key) ?? null;
    this.#undo.get(key)?.();
    this.#undo.delete(key);
    this.#states.delete(key);
    return before;
  }

  /** Sets that hold the group's addresses. */
  addressSetsOf(
    group: GroupKey,
  ): ReadonlySet<{ readonly policy: PolicyKey; readonly set: DesiredAddressSet }> {
    return this.#addressSets.get(group);
  }

  /** Policies whose subject the group is. */
  subjectOf(group: GroupKey): ReadonlySet<PolicyState> {
    return this.#subjects.get(group);
  }

  /** Rules that resolve named ports on the group's pods. */
  namedPortsOf(group: GroupKey): ReadonlySet<{ readonly policy: PolicyKey; readonly named: NamedPortRule }> {
    return this.#namedPorts.get(group);
  }

  /** Files the rows under every group they depend on; returns the function that takes each entry out again. */
  #file(state: PolicyState): () => void {
    const { policy, portGroup, addressSets, namedPortRules } = state.rows;
    const undo: (() => void)[] = [];
    const add = <V>(index: Multimap<GroupKey, V>, group: GroupKey, value: V): void => {
      index.add(group, value);
      undo.push(() => index.remove(group, value));
    };
    add(this.#subjects, portGroup.subject, state);
    for (const set of addressSets)
      for (const group of set.groups) add(this.#addressSets, group, { policy, set });
    for (const named of namedPortRules) {
      for (const group of named.destinations) add(this.#namedPorts, group, { policy, named });
    }
    return () => {
      for (const step of undo) step();
    };
  }
}

function leadAlike(a: NamedPortRule, b: NamedPortRule): boolean {
  return (
    a.direction === b.direction &&
    a.portNames.join("\n") === b.portNames.join("\n") &&
    a.destinations.join("\n") === b.destinations.join("\n")
  );
}
