// Places with room between, in the order (tier, priority, tie text, key); behind the policies of a tier without a fixed end, the
// level of its default denies. The allocator decides the places; this file turns policies into its runs, and its levels
// into ACL priorities. A place depends on history, so that at a start those in the database are adopted.

import { Multimap } from "../../lib/multimap.ts";
import type { Refusal } from "../../policy/contracts/backend.ts";
import type { Policy, PolicyKey, Tier } from "../../policy/ir.ts";
import type { PlaceKey, TierKey } from "../../policy/order.ts";
import { isSameTier, placeKey, rankOf, tierKey } from "../../policy/order.ts";
import { Allocator } from "./allocator.ts";
import { threeTiers } from "./layout.ts";
import type { Run, SegmentPlaces, ExistingPlaces, TierPlaces } from "./places.ts";
import { levelOf, levelsOf, refusal } from "./places.ts";
import type { Ranked, Segment } from "./segment.ts";
import { EqualsLevels } from "./turns.ts";
import { Votes } from "./votes.ts";

/** The run of policies that take turns. */
type TurnKey = `turn ${PlaceKey}`;

/** The level of a tier's default denies. */
type EndKey = `end ${TierKey}`;

/** A policy's run, or that of a turn, or the end of a tier. No policy's key has a space. */
type RunKey = PolicyKey | TurnKey | EndKey;

interface Home {
  readonly tier: Tier;
  readonly run: PolicyKey | TurnKey;
}

export class RankedPlaces implements SegmentPlaces {
  readonly dependOnOthers = true;
  readonly #segment: Segment<Ranked>;
  readonly #tiers: TierPlaces;
  readonly #allocator: Allocator<RunKey>;
  readonly #homes = new Map<PolicyKey, Home>();
  /** Policies that have their places elsewhere, and here the end of their tier. */
  readonly #ending = new Map<PolicyKey, Tier>();
  readonly #turns = new Map<RunKey, EqualsLevels>();
  /** Of each tier without a fixed end. */
  readonly #members = new Multimap<EndKey, PolicyKey>();

  constructor(segment: Segment<Ranked>, tiers: TierPlaces = threeTiers) {
    const { top, bottom, expected } = segment;
    this.#segment = segment;
    this.#tiers = tiers;
    this.#allocator = new Allocator({ levels: top - bottom + 1, expected });
  }

  admit(policy: Policy): readonly Refusal[] {
    const { key, tier } = policy;
    const run = runOf(policy);
    const length = this.#turns.get(run)?.lengthWith(policy) ?? lengthOf(policy);
    const end = this.#tiers.endOf(tier) === null && !this.#allocator.has(endKey(tier)) ? 1 : 0;
    if (this.#allocator.fits(run, length, end - this.#freedBy(key, run))) return [];
    const message = `OVN has no ACL priorities left among those ${this.#segment.name}`;
    return [refusal("NoPlace", "priority", message)];
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const { key, tier } = policy;
    const before = this.#homes.get(key);
    const run = runOf(policy);
    const left = before !== undefined && before.run !== run ? this.#leaveRun(key, before.run) : [];
    if (before !== undefined && !isSameTier(before.tier, tier)) this.#leaveTier(key, before.tier);
    this.#homes.set(key, { tier, run });
    const shifted = policy.interleaved === true ? this.#turn(run).set(policy) : [];
    const length = this.#turns.get(run)?.length ?? lengthOf(policy);
    const rank = rankOf(policy);
    const name = run === key ? rank.name : "";
    const moved = this.#allocator.put({ ...rank, key: run, name, length });
    const ended = this.#enter(key, tier);
    return [...new Set([...left, ...shifted, ...this.#policiesOf([...moved, ...ended])])];
  }

  remove(key: PolicyKey): readonly PolicyKey[] {
    const home = this.#homes.get(key);
    if (home === undefined) return [];
    this.#leaveTier(key, home.tier);
    this.#homes.delete(key);
    return this.#leaveRun(key, home.run);
  }

  /** The policy, which is not in it, has the end of its tier here; returns the policies whose place changed. */
  holdEnd({ key, tier }: Pick<Policy, "key" | "tier">): readonly PolicyKey[] {
    const before = this.#ending.get(key);
    if (before !== undefined && !isSameTier(before, tier)) this.releaseEnd(key);
    this.#ending.set(key, tier);
    return this.#policiesOf(this.#enter(key, tier));
  }

  /** A policy that has no end here changes nothing. */
  releaseEnd(key: PolicyKey): void {
    const tier = this.#ending.get(key);
    if (tier === undefined) return;
    this.#ending.delete(key);
    this.#leaveTier(key, tier);
  }

  /** ACL.priority of the end of a tier that has one. */
  end(tier: Tier): number {
    return this.#tiers.endOf(tier) ?? this.#priority(endKey(tier));
  }

  adopt(existing: ExistingPlaces): readonly PolicyKey[] {
    const votes = new Votes<RunKey>();
    for (const [key, tier] of this.#ending)
      for (const { index, place } of existing.get(key) ?? [])
        if (index === "default" && place.tier === this.#tiers.aclTierOf(tier))
          votes.add(endKey(tier), this.#segment.top - place.priority);
    for (const [key, { tier, run }] of this.#homes) {
      const levels = this.#turns.get(run) ?? "each";
      for (const { index, action, place } of existing.get(key) ?? []) {
        if (place.tier !== this.#tiers.aclTierOf(tier)) continue;
        const level = this.#segment.top - place.priority;
        if (index !== "default") votes.add(run, level - levelOf({ index, action }, levels));
        else if (this.#tiers.endOf(tier) === null) votes.add(endKey(tier), level);
      }
    }
    return this.#policiesOf(this.#allocator.adopt(votes.most()));
  }

  run(key: PolicyKey): Run {
    const home = this.#homes.get(key);
    if (home === undefined) throw new Error(`invariant broken: ${key} is not in ${this.#segment.name}`);
    const { tier, run } = home;
    const end = this.end(tier);
    const levels = this.#turns.get(run) ?? "each";
    return { tier: this.#tiers.aclTierOf(tier), start: this.#priority(run), end, levels };
  }

  #priority(key: RunKey): number {
    return this.#segment.top - this.#allocator.at(key);
  }

  #turn(run: RunKey): EqualsLevels {
    const turn = this.#turns.get(run) ?? new EqualsLevels();
    this.#turns.set(run, turn);
    return turn;
  }

  /** How many levels become free when the policy leaves its run for this one. */
  #freedBy(key: PolicyKey, run: RunKey): number {
    const home = this.#homes.get(key);
    if (home === undefined || home.run === run) return 0;
    const turn = this.#turns.get(home.run);
    const kept = turn === undefined || turn.isOnly(key) ? 0 : turn.lengthWithout(key);
    return this.#allocator.lengthOf(home.run) - kept;
  }

  /** Returns the others whose place changed. */
  #leaveRun(key: PolicyKey, run: PolicyKey | TurnKey): readonly PolicyKey[] {
    const turn = this.#turns.get(run);
    const shifted = turn?.remove(key) ?? [];
    if (turn !== undefined && !turn.isEmpty) {
      this.#allocator.shorten(run, turn.length);
      return shifted;
    }
    this.#turns.delete(run);
    this.#allocator.remove(run);
    return [];
  }

  /** The policy is of the tier; returns the runs that move when the tier gets its end. */
  #enter(key: PolicyKey, tier: Tier): readonly RunKey[] {
    if (this.#tiers.endOf(tier) !== null) return [];
    const end = endKey(tier);
    if (!this.#members.has(end, key)) this.#members.add(end, key);
    if (this.#allocator.has(end)) return [];
    const rank = { tier, priority: Infinity, tie: null, name: tier.name };
    return this.#allocator.put({ ...rank, isEnd: true, key: end, length: 1 });
  }

  #leaveTier(key: PolicyKey, tier: Tier): void {
    if (this.#tiers.endOf(tier) !== null) return;
    const end = endKey(tier);
    this.#members.remove(end, key);
    if (this.#members.get(end).size === 0) this.#allocator.remove(end);
  }

  /** When a tier's end moves, every policy of the tier does. */
  #policiesOf(runs: readonly RunKey[]): readonly PolicyKey[] {
    const policies = runs.flatMap((run) => {
      if (isEnd(run)) return [...this.#members.get(run)];
      const turn = this.#turns.get(run);
      return turn !== undefined ? [...turn.policies()] : isTurn(run) ? [] : [run];
    });
    return [...new Set(policies)];
  }
}

function runOf(policy: Policy): PolicyKey | TurnKey {
  return policy.interleaved === true ? `turn ${placeKey(policy)}` : policy.key;
}

function endKey(tier: Tier): EndKey {
  return `end ${tierKey(tier)}`;
}

function isTurn(run: RunKey): run is TurnKey {
  return run.startsWith("turn ");
}

function isEnd(run: RunKey): run is EndKey {
  return run.startsWith("end ");
}

/** Of a policy that is the first of its run. */
export function lengthOf(policy: Policy): number {
  return policy.interleaved === true ? new EqualsLevels().lengthWith(policy) : levelsOf(policy);
}
