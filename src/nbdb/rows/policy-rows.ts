// What a policy's rows are while they are rendered: a part for each rule, and what the rules share.

import type { Tally, TallyChange } from "../../lib/tally.ts";
import type { Direction, Policy, Rule } from "../../policy/ir.ts";
import type { AclPlace } from "../ranking/places.ts";
import type { PeerRows } from "./match/peers.ts";
import type { RenderOptions } from "./render-mode.ts";
import type { SharedUnit } from "./sets/shared-unit.ts";
import type { DesiredPortGroup, PartChange, UnitKey, UnitPart, UnitRows } from "./unit.ts";

/** The rows of one rule. */
export interface RuleRows extends UnitPart {
  readonly direction: Direction;
  readonly rule: Rule;
  readonly place: AclPlace;
  /** It has no rows: what it passes goes on all the same (PolicyPlaces.isOpenEnd). */
  readonly isImplied: boolean;
  readonly portGroup: string;
  /** The port group of a rule that has its own subject. Rules with one share and one subject have the same object. */
  readonly ownGroup: DesiredPortGroup | null;
  readonly peers: PeerRows;
}

/** The places of the default denies; null: the direction has none. */
export type Ends = Readonly<Record<Direction, AclPlace | null>>;

export interface PolicyRows extends UnitRows {
  /** The port group of the policy's subject; first among the unit's port groups. */
  readonly portGroup: DesiredPortGroup;
  /** By direction, index and share of the rule. */
  readonly rules: ReadonlyMap<string, RuleRows>;
  readonly held: Held;
  /** The parts of the rules, then the default denies. */
  readonly parts: ReadonlyMap<string, UnitPart>;
  /** The units that must be written before the policy's own, each once. */
  readonly shared: ReadonlyMap<UnitKey, SharedUnit>;
  readonly ends: Ends;
  /** null: every part may be another than before, and every shared unit may have been added or removed. */
  readonly delta: RowsDelta | null;
}

/** What differs from an earlier rendering. */
export interface RowsDelta {
  readonly parts: readonly PartChange[];
  /** Of those that stay, none has other rows than before. null: every one may have been added, removed or changed. */
  readonly shared: TallyChange<UnitKey, SharedUnit> | null;
}

/** Each with how many rules have it. */
export interface Held {
  /** The port groups of rules, by name. */
  readonly groups: Tally<string, DesiredPortGroup>;
  /** The units whose sets the rules name. */
  readonly units: Tally<UnitKey, SharedUnit>;
}

/** A policy and its rows. */
export interface RenderedPolicy {
  readonly policy: Policy;
  readonly rows: PolicyRows;
}

/** What the rules of a policy are rendered from. */
export interface PolicyContext {
  readonly policy: Policy;
  readonly options: RenderOptions;
  readonly portGroup: DesiredPortGroup;
  readonly before: RenderedPolicy | null;
}
