// The desired rows of every unit, which policies use which unit, and which rows a group's contents affect. Depends on
// the policies alone; content.ts adds what depends on members when rows are planned.

import { isReused } from "../../lib/identity.ts";
import { Multimap } from "../../lib/multimap.ts";
import type { Differing } from "../../lib/sequence.ts";
import { differing } from "../../lib/sequence.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Action, GroupKey, Policy, PolicyKey } from "../../policy/ir.ts";
import { isOwnNode } from "../../policy/own-node.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { ExistingAcls } from "../rows/unit.ts";
import type { AclPlace, ExistingAcl, Span, PolicyPlaces } from "../ranking/places.ts";
import { levelsOf } from "../ranking/places.ts";
import { placesOf } from "../ranking/layouts.ts";
import { unsayable } from "../rows/admission.ts";
import type { Layout } from "../rows/layout.ts";
import { productLayout } from "../rows/layout.ts";
import type { KindedMode, RenderOptions } from "../rows/render-mode.ts";
import type { RenderedPolicy } from "../rows/policy-rows.ts";
import type {
  DesiredAddressSet,
  DesiredPortGroup,
  NamedPortRule,
  PartChange,
  UnitKey,
  UnitPart,
  UnitRows,
} from "../rows/unit.ts";
import { WatchedPolicies, watchUnit } from "../rows/sampling/watch.ts";
import { unitOfPolicy } from "../rows/unit.ts";
import type { Rendering } from "./rendering.ts";
import { partChanges } from "./rendering.ts";
import type { SharedChange } from "./shared-units.ts";
import { SharedUnits } from "./shared-units.ts";
import { UnitState } from "./unit-state.ts";
import type { UnitUsers } from "./unit-users.ts";

export type { Span } from "../ranking/places.ts";

export interface DesiredChange {
  /** The policy's own unit first, when it was rendered. */
  readonly rendered: readonly Rendering[];
  /** Units that have no desired rows any more. */
  readonly gone: readonly UnitKey[];
}

export class Desired {
  readonly #ranking: PolicyPlaces;
  readonly #layout: Layout;
  #options: RenderOptions;
  readonly #policies = new Map<PolicyKey, RenderedPolicy>();
  readonly #states = new Map<UnitKey, UnitState>();
  readonly #shared = new SharedUnits();
  readonly #addressSets = new Multimap<GroupKey, DesiredAddressSet>();
  readonly #subjects = new Multimap<GroupKey, DesiredPortGroup>();
  readonly #namedPorts = new Multimap<GroupKey, NamedPortRule>();
  /** null: connections that no policy judges are not sampled. */
  readonly #watched: WatchedPolicies | null;

  constructor(
    { zone, namedPorts, addressSets = "rule", watches = false, ...ranked }: KindedMode,
    layout: Layout = productLayout,
  ) {
    this.#watched = watches ? new WatchedPolicies() : null;
    this.#ranking = placesOf(ranked);
    const { tierLayout = "threeTiers" } = ranked;
    this.#options = { zone, namedPorts, addressSets, tierLayout, families: [], places: this.#ranking };
    this.#layout = layout;
  }

  /** Which policies use which units. */
  get users(): UnitUsers {
    return this.#shared.users;
  }

  get(unit: UnitKey): UnitState | null {
    return this.#states.get(unit) ?? null;
  }

  units(): IterableIterator<UnitKey> {
    return this.#states.keys();
  }

  states(): IterableIterator<UnitState> {
    return this.#states.values();
  }

  /** Why there can be no rows for the policy. Changes nothing. */
  admit(policy: Policy): readonly Refusal[] {
    const refusals = unsayable(policy);
    // A policy that rows cannot express cannot be ranked.
    return refusals.length > 0 ? refusals : this.#ranking.admit(policy);
  }

  /**
   * Renders an admitted policy's rows and replaces its earlier ones. Also renders the shared units that it uses or
   * used, and the policies that must move to make room. Shared units that follow their users wait for `settle`.
   */
  upsert(policy: Policy): DesiredChange {
    const moved = this.#ranking.upsert(policy);
    return together([this.#render(policy), ...this.#renderAgain(moved)]);
  }

  /** As Backend.takeContested. */
  takeContested(): readonly PolicyKey[] {
    return this.#ranking.takeContested();
  }

  /** Takes over the places of existing rows, as far as the order allows, and renders the policies that move. */
  adopt(existing: ExistingAcls): DesiredChange {
    const places = new Map<PolicyKey, ExistingAcl[]>();
    for (const [unit, acls] of existing) {
      const [policy] = this.users.policiesOf(unit);
      if (policy !== undefined) places.set(policy, [...(places.get(policy) ?? []), ...acls]);
    }
    return together(this.#renderAgain(this.#ranking.adopt(places)));
  }

  /**
   * The place for the existing rows of a policy that has a place among others; null: it has none, or its place depends on
   * itself alone. A rule that the policy no longer has is placed beside its last one.
   */
  rankedPlace(key: PolicyKey, index: number | "default", action: Action): AclPlace | null {
    const rendered = this.#policies.get(key);
    if (rendered === undefined || !this.#ranking.dependsOnOthers(key)) return null;
    if (index === "default") return this.#ranking.end(key);
    return this.#ranking.place(key, { index: Math.min(index, levelsOf(rendered.policy) - 1), action });
  }

  /** The places of a policy's rules that has a place among others; null: it has none, or order means nothing to its rules. */
  rankedSpan(key: PolicyKey): Span | null {
    const rendered = this.#policies.get(key);
    if (rendered === undefined || !this.#ranking.dependsOnOthers(key)) return null;
    return this.#ranking.span(key, levelsOf(rendered.policy));
  }

  /** Renders the shared units that follow their users and of which a user has changed since the last call, each once. */
  settle(): DesiredChange {
    const rendered = this.#shared.takeFollowing().flatMap((unit) => this.#renderUnit(unit));
    return together([{ rendered, gone: [] }, this.#settleWatch()]);
  }

  #settleWatch(): DesiredChange {
    const before = this.#states.get(watchUnit)?.rows ?? null;
    const after = this.#watched?.render(this.#options.families, before) ?? null;
    if (after !== null && after !== before) return { rendered: [this.#replace(after, null)], gone: [] };
    if (after !== null || before === null) return { rendered: [], gone: [] };
    this.#drop(watchUnit);
    return { rendered: [], gone: [watchUnit] };
  }

  #renderAgain(keys: readonly PolicyKey[]): readonly DesiredChange[] {
    const policies = keys.flatMap((key) => this.#policies.get(key)?.policy ?? []);
    return policies.map((policy) => this.#render(policy));
  }

  #render(policy: Policy): DesiredChange {
    const before = this.#policies.get(policy.key) ?? null;
    const rows = this.#layout.render(policy, this.#options, before);
    this.#policies.set(policy.key, { policy, rows });
    // A node's way to its own pods judges nobody else's connections.
    if (!isOwnNode(policy.key)) this.#watched?.set(policy.key, rows.portGroups);
    const own = this.#replace(rows, rows.delta?.parts ?? null);
    const isFullRebuild = !isReused(before?.rows.families, rows.families);
    const shared = this.#renderShared(this.#shared.use(policy, rows, isFullRebuild));
    return { rendered: [own, ...shared.rendered], gone: shared.gone };
  }

  /** From now on, rows are rendered for these families. */
  serve(families: readonly IpFamily[]): DesiredChange {
    this.#options = { ...this.#options, families };
    return together(this.#renderAgain([...this.#policies.keys()]));
  }

  remove(key: PolicyKey): DesiredChange {
    const own = unitOfPolicy(key);
    this.#policies.delete(key);
    this.#watched?.remove(key);
    this.#drop(own);
    const shared = this.#renderShared(this.#shared.remove(key));
    const moved = this.#renderAgain(this.#ranking.remove(key));
    return together([{ rendered: [], gone: [own] }, shared, ...moved]);
  }

  /** Sets that hold the group's addresses. */
  addressSetsOf(group: GroupKey): Iterable<DesiredAddressSet> {
    return this.#addressSets.each(group);
  }

  /** Port groups that hold the ports of the group's pods. */
  portGroupsOf(group: GroupKey): Iterable<DesiredPortGroup> {
    return this.#subjects.each(group);
  }

  /** Rules that resolve named ports on the group's pods. */
  namedPortsOf(group: GroupKey): ReadonlySet<NamedPortRule> {
    return this.#namedPorts.get(group);
  }

  #renderShared({ due, gone }: SharedChange): DesiredChange {
    for (const unit of gone) this.#drop(unit);
    return { rendered: due.flatMap((unit) => this.#renderUnit(unit)), gone };
  }

  /** Nothing when its rows are as before. */
  #renderUnit(unit: UnitKey): readonly Rendering[] {
    const before = this.#states.get(unit)?.rows ?? null;
    const after = this.#shared.get(unit).render(this.#options, before);
    return isReused(before, after) ? [] : [this.#replace(after, null)];
  }

  /** `edited`: the parts that changed; null: any may have. */
  #replace(after: UnitRows, edited: readonly PartChange[] | null): Rendering {
    const known = this.#states.get(after.unit) ?? null;
    const before = known?.rows ?? null;
    const changes = edited ?? partChanges(before, after);
    const state = known ?? new UnitState(after);
    const portGroups = differing(before?.portGroups ?? [], after.portGroups);
    const namedPorts = state.become(after, changes, portGroups);
    this.#states.set(after.unit, state);
    this.#file(portGroups, changes);
    return {
      after,
      isFullRebuild: !isReused(before?.families, after.families),
      changes,
      portGroups,
      namedPorts,
    };
  }

  #drop(unit: UnitKey): void {
    const rows = this.#states.get(unit)?.rows;
    if (rows === undefined) return;
    this.#states.delete(unit);
    this.#file({ removed: rows.portGroups, added: [] }, partChanges(rows, null));
  }

  /** Files the rows under every group they depend on, and removes the rows that were filed before. */
  #file({ removed, added }: Differing<DesiredPortGroup>, changes: readonly PartChange[]): void {
    for (const group of removed) this.#fileSubjects("remove", group);
    for (const group of added) this.#fileSubjects("add", group);
    for (const change of changes) {
      if (change.before !== null) this.#filePart("remove", change.before, change.after);
      if (change.after !== null) this.#filePart("add", change.after, change.before);
    }
  }

  #fileSubjects(step: "add" | "remove", group: DesiredPortGroup): void {
    for (const subject of group.subjects) this.#subjects[step](subject, group);
  }

  /** Skips what the other rows of the part have as well. */
  #filePart(step: "add" | "remove", part: UnitPart, other: UnitPart | null): void {
    const { addressSets, namedPorts } = part;
    for (const set of isReused(other?.addressSets, addressSets) ? [] : addressSets)
      for (const group of set.groups) this.#addressSets[step](group, set);
    if (namedPorts === null || isReused(other?.namedPorts, namedPorts)) return;
    for (const group of new Set([...namedPorts.destinations, ...namedPorts.sources]))
      this.#namedPorts[step](group, namedPorts);
  }
}

function together(changes: readonly DesiredChange[]): DesiredChange {
  return {
    rendered: changes.flatMap(({ rendered }) => rendered),
    gone: changes.flatMap(({ gone }) => gone),
  };
}
