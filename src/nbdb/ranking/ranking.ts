// Ranks all policies of every tier, by the table of the three tiers that every cluster has (layout.ts).

import { invariant, unreachable } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { ExpectedPriorities } from "../../policy/contracts/dialect.ts";
import type { Policy, PolicyKey, Rule } from "../../policy/ir.ts";
import { DocumentedPlaces, NoPlaces } from "./documented.ts";
import type { AnpPriorities } from "./layout.ts";
import { segmentOf } from "./layout.ts";
import { PackedPlaces } from "./packed.ts";
import type { AclPlace, Run, SegmentPlaces, Span, ExistingPlaces, PolicyPlaces } from "./places.ts";
import { placeIn, refusal, spanOf } from "./places.ts";
import { RankedPlaces } from "./ranked.ts";
import type { Segment } from "./segment.ts";
import type { TierConflict } from "./tier-use.ts";
import { TierUse } from "./tier-use.ts";

function tooManyTiers({ tier }: Policy, { text, passes }: TierConflict): Refusal {
  const found = refusal("TooManyTiers", "tier", `OVN has no tier left for tier ${tier.name}: ${text}`);
  return passes.length === 0 ? found : { ...found, rules: passes };
}

export class Ranking implements PolicyPlaces {
  readonly #anpPriorities: AnpPriorities;
  readonly #expected: readonly ExpectedPriorities[];
  readonly #segments = new Map<Segment, SegmentPlaces>();
  /** The segment that each policy has its place in. */
  readonly #homes = new Map<PolicyKey, SegmentPlaces>();
  readonly #tiers = new TierUse();

  /** `expected`: by the kinds of the policies. */
  constructor(anpPriorities: AnpPriorities, expected: readonly ExpectedPriorities[] = []) {
    this.#anpPriorities = anpPriorities;
    this.#expected = expected;
  }

  admit(policy: Policy): readonly Refusal[] {
    const conflict = this.#tiers.conflict(policy);
    return [
      ...(conflict === null ? [] : [tooManyTiers(policy, conflict)]),
      ...this.#placesFor(policy).admit(policy),
    ];
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const { key } = policy;
    const places = this.#placesFor(policy);
    const left = this.#homes.get(key);
    const behind = left === undefined || left === places ? [] : left.remove(key);
    this.#tiers.add(policy);
    this.#homes.set(key, places);
    return [...behind, ...places.upsert(policy)].filter((moved) => moved !== key);
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    const left = this.#homes.get(key);
    if (left === undefined) return [];
    this.#homes.delete(key);
    this.#tiers.remove(key);
    return left.remove(key);
  }

  adopt(existing: ExistingPlaces): readonly PolicyKey[] {
    return [...this.#segments.values()].flatMap((places) => places.adopt(existing));
  }

  /** A policy that was added since has no conflict with one that is there: none is asked about again. */
  takeContested(): readonly PolicyKey[] {
    return [];
  }

  dependsOnOthers(key: PolicyKey): boolean {
    return this.#homes.get(key)?.dependOnOthers ?? false;
  }

  place(key: PolicyKey, rule: Pick<Rule, "index" | "action">): AclPlace {
    return placeIn(this.#run(key), rule);
  }

  span(key: PolicyKey, rules: number): Span | null {
    return spanOf(this.#run(key), rules);
  }

  end(key: PolicyKey): AclPlace {
    const { tier, end } = this.#run(key);
    return { tier, priority: end };
  }

  isOpenEnd(): boolean {
    return false;
  }

  #run(key: PolicyKey): Run {
    const home = this.#homes.get(key);
    invariant(home !== undefined, `asked for the place of a policy that has none: ${key}`);
    return home.run(key);
  }

  #placesFor(policy: Policy): SegmentPlaces {
    const segment = segmentOf(policy, this.#anpPriorities);
    let places = this.#segments.get(segment);
    if (places === undefined) {
      places = placesOf(segment, this.#expectedIn(segment));
      this.#segments.set(segment, places);
    }
    return places;
  }

  /** What a kind expects of policies that have their places in the segment; null: nothing. */
  #expectedIn(segment: Segment): ExpectedPriorities | null {
    const isOfSegment = ({ tier, priorities: [priority] }: ExpectedPriorities): boolean =>
      segmentOf({ tier, priority }, this.#anpPriorities) === segment;
    return this.#expected.find(isOfSegment) ?? null;
  }
}

function placesOf(segment: Segment, expected: ExpectedPriorities | null): SegmentPlaces {
  switch (segment.scheme) {
    case "closed":
      return new NoPlaces(segment);
    case "documented":
      return new DocumentedPlaces(segment);
    case "packed":
      return new PackedPlaces(segment);
    case "ranked":
      return new RankedPlaces({ ...segment, ...(expected && { expected: expected.priorities }) });
    default:
      return unreachable(segment);
  }
}
