// The desired rows of every policy, and who is concerned when a group's contents change. A function of the policies
// alone; what members add is asked of content.ts when rows are planned.

import { Multimap } from "../../lib/multimap.ts";
import { sameSequence } from "../../lib/sequence.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { GroupKey, Policy, PolicyKey } from "../../policy/ir.ts";
import type { NamedPortsChange, RuleChange } from "./policy-state.ts";
import { PolicyState, ruleChanges } from "./policy-state.ts";
import type {
  DesiredAddressSet,
  RenderMode,
  NamedPortRule,
  PolicyRows,
  RenderOptions,
  RuleRows,
} from "../rows/render.ts";
import { renderPolicy } from "../rows/render.ts";

/** A policy whose rows were rendered: what they were before, and are now. */
export interface Rendering {
  readonly before: PolicyRows | null;
  readonly after: PolicyRows;
  readonly changes: readonly RuleChange[];
  readonly namedPorts: NamedPortsChange;
}

export class Desired {
  #options: RenderOptions;
  readonly #states = new Map<PolicyKey, PolicyState>();
  readonly #addressSets = new Multimap<GroupKey, DesiredAddressSet>();
  readonly #subjects = new Multimap<GroupKey, PolicyState>();
  readonly #namedPorts = new Multimap<GroupKey, NamedPortRule>();

  constructor({ zone, namedPorts }: RenderMode) {
    this.#options = { zone, namedPorts, families: [] };
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
    const known = this.#states.get(policy.key) ?? null;
    const before = known?.rows ?? null;
    const after = renderPolicy(policy, this.#options, known);
    const changes = ruleChanges(before, after);
    const state = known ?? new PolicyState(policy, after);
    const namedPorts = state.become(policy, after, changes);
    this.#states.set(policy.key, state);
    this.#file(state, before, after, changes);
    return { before, after, changes, namedPorts };
  }

  /** Rows are for these families from now on; returns what was rendered again. */
  serve(families: readonly IpFamily[]): readonly Rendering[] {
    this.#options = { ...this.#options, families };
    return [...this.#states.values()].map(({ policy }) => this.upsert(policy));
  }

  remove(key: PolicyKey): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    this.#states.delete(key);
    this.#file(state, state.rows, null, ruleChanges(state.rows, null));
  }

  /** Sets that hold the group's addresses. */
  addressSetsOf(group: GroupKey): ReadonlySet<DesiredAddressSet> {
    return this.#addressSets.get(group);
  }

  /** Policies whose subject the group is. */
  subjectOf(group: GroupKey): ReadonlySet<PolicyState> {
    return this.#subjects.get(group);
  }

  /** Rules that resolve named ports on the group's pods. */
  namedPortsOf(group: GroupKey): ReadonlySet<NamedPortRule> {
    return this.#namedPorts.get(group);
  }

  /** Files the rows under every group they depend on, and takes out those that were filed before them. */
  #file(
    state: PolicyState,
    before: PolicyRows | null,
    after: PolicyRows | null,
    changes: readonly RuleChange[],
  ): void {
    const [subjectsBefore, subjects] = [before?.portGroup.subjects ?? [], after?.portGroup.subjects ?? []];
    if (!sameSequence(subjects, subjectsBefore)) {
      for (const subject of subjectsBefore) this.#subjects.remove(subject, state);
      for (const subject of subjects) this.#subjects.add(subject, state);
    }
    for (const { before: old, after: now } of changes) {
      if (old !== null) this.#fileRule("remove", old, now);
      if (now !== null) this.#fileRule("add", now, old);
    }
  }

  /** But for what the other rows of the rule have as well. */
  #fileRule(step: "add" | "remove", rows: RuleRows, other: RuleRows | null): void {
    const { addressSets, namedPorts } = rows;
    for (const set of addressSets === other?.addressSets ? [] : addressSets)
      for (const group of set.groups) this.#addressSets[step](group, set);
    if (namedPorts === null || namedPorts === other?.namedPorts) return;
    for (const group of namedPorts.destinations) this.#namedPorts[step](group, namedPorts);
  }
}
