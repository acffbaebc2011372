// Places with room between, in the order (tier, priority, key); behind the policies of a tier without a fixed end, the
// level of its default denies. The allocator decides the places; this file turns policies into its runs, and its levels
// into ACL priorities. A place depends on history, so that at a start those that stand in the database are adopted.

import { Multimap } from "../../lib/multimap.ts";
import type { Refusal } from "../../policy/backend.ts";
import type { Policy, PolicyKey, Tier } from "../../policy/ir.ts";
import { Allocator } from "./allocator.ts";
import { aclTierOf, endOf } from "./layout.ts";
import type { Run, SegmentPlaces, StandingPlaces } from "./places.ts";
import { levelOf, levelsOf, refusal } from "./places.ts";
import type { Ranked, Segment } from "./segment.ts";
import { TurnLevels } from "./turns.ts";
import { Votes } from "./votes.ts";

/** The run of policies that take turns. */
type TurnKey = `turn ${number} ${number}`;

/** A policy's run, or that of a turn; or, by the order of its tier, the level of the tier's default denies. */
type RunKey = PolicyKey | TurnKey | Tier["order"];

interface Home {
  readonly tier: Tier;
  readonly run: PolicyKey | TurnKey;
}

export class RankedPlaces implements SegmentPlaces {
  readonly dependOnOthers = true;
  readonly #segment: Segment<Ranked>;
  readonly #allocator: Allocator<RunKey>;
  readonly #homes = new Map<PolicyKey, Home>();
  readonly #turns = new Map<RunKey, TurnLevels>();
  /** By the order of a tier without a fixed end. */
  readonly #members = new Multimap<Tier["order"], PolicyKey>();

  constructor(segment: Segment<Ranked>) {
    const { top, bottom, expected } = segment;
    this.#segment = segment;
    this.#allocator = new Allocator({ levels: top - bottom + 1, expected });
  }

  admit(policy: Policy): readonly Refusal[] {
    const { key, tier } = policy;
    const run = runOf(policy);
    const length = this.#turns.get(run)?.lengthWith(policy) ?? lengthOf(policy);
    const end = endOf(tier) === null && !this.#allocator.has(tier.order) ? 1 : 0;
    if (this.#allocator.fits(run, length, end - this.#freedBy(key, run))) return [];
    const message = `OVN has no ACL priorities left among those ${this.#segment.name}`;
    return [refusal("NoPlace", "priority", message)];
  }

  upsert(policy: Policy): readonly PolicyKey[] {
    const { key, tier, priority } = policy;
    const before = this.#homes.get(key);
    const run = runOf(policy);
    const left = before !== undefined && before.run !== run ? this.#leaveRun(key, before.run) : [];
    if (before !== undefined && before.tier.order !== tier.order) this.#leaveTier(key, before.tier);
    this.#homes.set(key, { tier, run });
    const shifted = policy.interleaved === true ? this.#turn(run).set(policy) : [];
    const length = this.#turns.get(run)?.length ?? lengthOf(policy);
    const name = run === key ? key : "";
    const moved = this.#allocator.put({ key: run, tier: tier.order, priority, name, length });
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

  adopt(standing: StandingPlaces): readonly PolicyKey[] {
    const votes = new Votes<RunKey>();
    for (const [key, { tier, run }] of this.#homes) {
      const levels = this.#turns.get(run) ?? "each";
      for (const { index, action, place } of standing.get(key) ?? []) {
        if (place.tier !== aclTierOf(tier)) continue;
        const level = this.#segment.top - place.priority;
        if (index !== "default") votes.add(run, level - levelOf({ index, action }, levels));
        else if (endOf(tier) === null) votes.add(tier.order, level);
      }
    }
    return this.#policiesOf(this.#allocator.adopt(votes.most()));
  }

  run(key: PolicyKey): Run {
    const home = this.#homes.get(key);
    if (home === undefined) throw new Error(`invariant broken: ${key} is not in ${this.#segment.name}`);
    const { tier, run } = home;
    const end = endOf(tier) ?? this.#priority(tier.order);
    const levels = this.#turns.get(run) ?? "each";
    return { tier: aclTierOf(tier), start: this.#priority(run), end, levels };
  }

  #priority(key: RunKey): number {
    return this.#segment.top - this.#allocator.at(key);
  }

  #turn(run: RunKey): TurnLevels {
    const turn = this.#turns.get(run) ?? new TurnLevels();
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
  #enter(key: PolicyKey, { name, order }: Tier): readonly RunKey[] {
    if (endOf({ name, order }) !== null) return [];
    if (!this.#members.has(order, key)) this.#members.add(order, key);
    if (this.#allocator.has(order)) return [];
    return this.#allocator.put({ key: order, tier: order, priority: Infinity, name, length: 1 });
  }

  #leaveTier(key: PolicyKey, { name, order }: Tier): void {
    if (endOf({ name, order }) !== null) return;
    this.#members.remove(order, key);
    if (this.#members.get(order).size === 0) this.#allocator.remove(order);
  }

  /** When a tier's end moves, every policy of the tier does. */
  #policiesOf(runs: readonly RunKey[]): readonly PolicyKey[] {
    const policies = runs.flatMap((run) => {
      if (typeof run === "number") return [...this.#members.get(run)];
      const turn = this.#turns.get(run);
      return turn !== undefined ? [...turn.policies()] : isTurn(run) ? [] : [run];
    });
    return [...new Set(policies)];
  }
}

function runOf({ key, tier, priority, interleaved }: Policy): PolicyKey | TurnKey {
  return interleaved === true ? `turn ${tier.order} ${priority}` : key;
}

function isTurn(run: PolicyKey | TurnKey): run is TurnKey {
  return run.startsWith("turn ");
}

/** Of a policy that is the first of its run. */
function lengthOf(policy: Policy): number {
  return policy.interleaved === true ? new TurnLevels().lengthWith(policy) : levelsOf(policy);
}
