// Ranks all policies of every tier: assigns their ACL tiers and priorities, and returns the policies that moved when
// another was added or removed. Refuses a policy that has no place; the policies that have one keep it.

import { invariant, unreachable } from "../../lib/invariant.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { ExpectedPriorities } from "../../policy/contracts/dialect.ts";
import type { Policy, PolicyKey, Rule } from "../../policy/ir.ts";
import { DocumentedPlaces, NoPlaces } from "./documented.ts";
import type { AnpPriorities } from "./layout.ts";
import { segmentOf } from "./layout.ts";
import { PackedPlaces } from "./packed.ts";
import type { AclPlace, Run, SegmentPlaces, Span, ExistingPlaces } from "./places.ts";
import { levelOf, refusal } from "./places.ts";
import { RankedPlaces } from "./ranked.ts";
import type { Segment } from "./segment.ts";
import type { TierConflict } from "./tier-use.ts";
import { TierUse } from "./tier-use.ts";

function tooManyTiers({ tier }: Policy, { text, passes }: TierConflict): Refusal {
  const found = refusal("TooManyTiers", "tier", `OVN has no tier left for tier ${tier.name}: ${text}`);
  return passes.length === 0 ? found : { ...found, rules: passes };
}

export class Ranking {
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

  /** Why the policy cannot have a place beside the present ones. Changes nothing. */
  admit(policy: Policy): readonly Refusal[] {
    const conflict = this.#tiers.conflict(policy);
    return [
      ...(conflict === null ? [] : [tooManyTiers(policy, conflict)]),
      ...this.#placesFor(policy).admit(policy),
    ];
  }

  /** Places an admitted policy; returns the other policies whose place changed. */
  upsert(policy: Policy): readonly PolicyKey[] {
    const { key } = policy;
    const places = this.#placesFor(policy);
    const left = this.#homes.get(key);
    const behind = left === undefined || left === places ? [] : left.remove(key);
    this.#tiers.add(policy);
    this.#homes.set(key, places);
    return [...behind, ...places.upsert(policy)].filter((moved) => moved !== key);
  }

  /** Returns the policies whose place changed. */
  remove(key: PolicyKey): readonly PolicyKey[] {
    const left = this.#homes.get(key);
    if (left === undefined) return [];
    this.#homes.delete(key);
    this.#tiers.remove(key);
    return left.remove(key);
  }

  /** Takes over the places of existing rows, as far as the order allows; returns the policies whose place changed. */
  adopt(existing: ExistingPlaces): readonly PolicyKey[] {
    return [...this.#segments.values()].flatMap((places) => places.adopt(existing));
  }

  /** Whether other policies can move this one. */
  dependsOnOthers(key: PolicyKey): boolean {
    return this.#homes.get(key)?.dependOnOthers ?? false;
  }

  /** The place of a rule, in either direction. Throws for a policy that has none. */
  place(key: PolicyKey, rule: Pick<Rule, "index" | "action">): AclPlace {
    const { tier, start, levels } = this.#run(key);
    return { tier, priority: start - levelOf(rule, levels) };
  }

  /** The places of so many rules of the policy; null: they share one, since no order matters among them and others. */
  span(key: PolicyKey, rules: number): Span | null {
    const { tier, start, levels } = this.#run(key);
    if (levels === "one") return null;
    return { tier, first: start, last: start - (levels === "each" ? rules : levels.length) + 1 };
  }

  /** The place of a policy's default denies: behind every rule of its tier. */
  end(key: PolicyKey): AclPlace {
    const { tier, end } = this.#run(key);
    return { tier, priority: end };
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
