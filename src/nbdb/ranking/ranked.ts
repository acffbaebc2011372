// Places with room between, in the order (tier, priority, key); behind the policies of a tier without a fixed end, the
// level of its default denies. The allocator decides the places; this file turns policies into its runs, and its levels
// into ACL priorities. A place depends on history, so that at a start those that stand in the database are adopted.

import { Multimap } from "../../lib/multimap.ts";
import type { Refusal } from "../../policy/backend.ts";
import type { Policy, PolicyKey, Tier } from "../../policy/ir.ts";
import { Allocator } from "./allocator.ts";
import { aclTierOf, endOf } from "./layout.ts";
import type { AclPlace, Run, SegmentPlaces, StandingPlaces } from "./places.ts";
import { levelsOf, refusal } from "./places.ts";
import type { Ranked, Segment } from "./segment.ts";

/** A policy's run; or, by the order of its tier, the level of the tier's default denies. */
type RunKey = PolicyKey | Tier["order"];

export class RankedPlaces implements SegmentPlaces {
  readonly dependOnOthers = true;
  readonly #segment: Segment<Ranked>;
  readonly #allocator: Allocator<RunKey>;
  readonly #tiers = new Map<PolicyKey, Tier>();
  /** By the order of a tier without a fixed end. */
  readonly #members = new Multimap<Tier["order"], PolicyKey>();

  constructor(segment: Segment<Ranked>) {
    const { top, bottom, expected } = segment;
    this.#segment = segment;
    this.#allocator = new Allocator({ levels: top - bottom + 1, expected });
  }

  admit(policy: Policy): readonly Refusal[] {
    const end = endOf(policy.tier) === null && !this.#allocator.has(policy.tier.order) ? 1 : 0;
    if (this.#allocator.fits(policy.key, levelsOf(policy), end)) return [];
    const message = `OVN has no ACL priorities left among those ${this.#segment.name}`;
    return [refusal("NoPlace", "priority", message)];
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const { key, tier, priority } = policy;
    const before = this.#tiers.get(key);
    if (before !== undefined && before.order !== tier.order) this.#leave(key, before);
    const moved = this.#allocator.put({
      key,
      tier: tier.order,
      priority,
      name: key,
      length: levelsOf(policy),
    });
    this.#tiers.set(key, tier);
    return this.#policiesOf([...moved, ...this.#enter(key, tier)]);
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    const tier = this.#tiers.get(key);
    if (tier !== undefined) this.#leave(key, tier);
    this.#tiers.delete(key);
    this.#allocator.remove(key);
    return [];
  }

  adopt(standing: StandingPlaces): readonly PolicyKey[] {
    const levels = new Map<RunKey, number>();
    for (const [key, tier] of this.#tiers) {
      const { start, end } = standing.get(key) ?? { start: null, end: null };
      this.#note(levels, key, tier, start);
      if (endOf(tier) === null) this.#note(levels, tier.order, tier, end);
    }
    return this.#policiesOf(this.#allocator.adopt(levels));
  }

  run(key: PolicyKey): Run {
    const tier = this.#tiers.get(key);
    if (tier === undefined) throw new Error(`invariant broken: ${key} is not in ${this.#segment.name}`);
    const end = endOf(tier) ?? this.#priority(tier.order);
    return { tier: aclTierOf(tier), start: this.#priority(key), end, isShared: false };
  }

  #priority(key: RunKey): number {
    return this.#segment.top - this.#allocator.at(key);
  }

  #note(levels: Map<RunKey, number>, key: RunKey, tier: Tier, place: AclPlace | null): void {
    if (place?.tier === aclTierOf(tier)) levels.set(key, this.#segment.top - place.priority);
  }

  /** The policy is of the tier; returns the runs that move when the tier gets its end. */
  #enter(key: PolicyKey, { name, order }: Tier): readonly RunKey[] {
    if (endOf({ name, order }) !== null) return [];
    if (!this.#members.has(order, key)) this.#members.add(order, key);
    if (this.#allocator.has(order)) return [];
    return this.#allocator.put({ key: order, tier: order, priority: Infinity, name, length: 1 });
  }

  #leave(key: PolicyKey, { name, order }: Tier): void {
    if (endOf({ name, order }) !== null) return;
    this.#members.remove(order, key);
    if (this.#members.get(order).size === 0) this.#allocator.remove(order);
  }

  /** When a tier's end moves, every policy of the tier does. */
  #policiesOf(runs: readonly RunKey[]): readonly PolicyKey[] {
    return [
      ...new Set(runs.flatMap((run) => (typeof run === "number" ? [...this.#members.get(run)] : [run]))),
    ];
  }
}
