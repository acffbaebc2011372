// The evaluation tiers that have policies, in their order, and the tier of OVN that each is in at present.

import type { Policy, PolicyKey } from "../../../policy/ir.ts";
import type { TierKey } from "../../../policy/order.ts";
import { compareTiers, isSameTier, tierKey } from "../../../policy/order.ts";
import type { StackAround } from "../../../policy/contracts/tier-layout.ts";
import { sideOf } from "../../../policy/contracts/tier-layout.ts";
import type { Assignment, Assigned } from "./assignment.ts";
import { assign, assignAround } from "./assignment.ts";
import { TierMembers } from "./tier-members.ts";
import type { Member } from "./wishes.ts";
import { memberOf } from "./wishes.ts";

/** The tier that has another program's rows among its policies. */
interface Split {
  readonly around: StackAround;
  readonly front: TierMembers;
  readonly rest: TierMembers;
}

export class StackTiers {
  /** Of each tier of OVN. */
  readonly #levels: readonly number[];
  readonly #tiers = new Map<TierKey, TierMembers>();
  readonly #of = new Map<PolicyKey, TierMembers>();
  /** null: to be sorted. */
  #sorted: readonly TierMembers[] | null = null;
  readonly #split: Split | null;

  constructor(levels: readonly number[], around: StackAround | null = null) {
    this.#levels = levels;
    this.#split = around && splitOf(around);
  }

  /** The tier, or the part of it, that the policy is in; null: it is in none. */
  of(key: PolicyKey): TierMembers | null {
    return this.#of.get(key) ?? null;
  }

  set(policy: Policy): TierMembers {
    const left = this.#of.get(policy.key);
    const entered = this.#put(memberOf(policy));
    if (left !== undefined) this.#forgetEmpty(left);
    return entered;
  }

  /** A key that is not there changes nothing. */
  delete(key: PolicyKey): void {
    const tier = this.#of.get(key);
    this.#take(key);
    if (tier !== undefined) this.#forgetEmpty(tier);
  }

  /** What `ask` answers while the policy is there, in the place of its earlier version. Changes nothing. */
  with<T>(policy: Policy, ask: (tier: TierMembers) => T): T {
    const before = this.#of.get(policy.key)?.get(policy.key) ?? null;
    const tier = this.#put(memberOf(policy));
    const answer = ask(tier);
    if (before === null) this.#take(policy.key);
    else this.#put(before);
    this.#forgetEmpty(tier);
    return answer;
  }

  /** In the order of evaluation; a tier that is split is two. */
  inOrder(): readonly TierMembers[] {
    const split = this.#split === null ? [] : [this.#split.front, this.#split.rest];
    this.#sorted ??= [...split, ...this.#tiers.values()].sort((a, b) => compareTiers(a.tier, b.tier));
    return this.#sorted.filter(({ isEmpty }) => !isEmpty);
  }

  assignment(): Assignment {
    const tiers = this.inOrder();
    if (this.#split === null) return assign(tiers, this.#levels);
    const { front, rest } = this.#split;
    const others = tiers.filter((one) => one !== front && one !== rest);
    const isEarlier = ({ tier }: TierMembers): boolean => compareTiers(tier, front.tier) < 0;
    return assignAround(
      {
        earlier: others.filter(isEarlier),
        front: front.isEmpty ? null : front,
        rest: rest.isEmpty ? null : rest,
        later: others.filter((one) => !isEarlier(one)),
      },
      this.#levels,
    );
  }

  assigned(): ReadonlyMap<TierMembers, Assigned> {
    const { tiers } = this.assignment();
    return new Map(
      this.inOrder().flatMap((tier, at) => {
        const assigned = tiers[at];
        return assigned === undefined ? [] : [[tier, assigned] as const];
      }),
    );
  }

  #put(member: Member): TierMembers {
    const { key } = member.policy;
    const members = this.#membersOf(member.policy);
    if (this.#of.get(key) !== members) this.#take(key);
    members.set(member);
    this.#of.set(key, members);
    return members;
  }

  /** A tier that becomes empty is kept. */
  #take(key: PolicyKey): void {
    this.#of.get(key)?.delete(key);
    this.#of.delete(key);
  }

  #forgetEmpty({ tier, isEmpty }: TierMembers): void {
    if (!isEmpty) return;
    this.#tiers.delete(tierKey(tier));
    this.#sorted = null;
  }

  #membersOf(policy: Policy): TierMembers {
    const { tier } = policy;
    if (this.#split !== null && isSameTier(tier, this.#split.around.tier))
      return sideOf(policy, this.#split.around) === "behind" ? this.#split.rest : this.#split.front;
    const key = tierKey(tier);
    const known = this.#tiers.get(key);
    if (known !== undefined) return known;
    const members = new TierMembers(tier);
    this.#tiers.set(key, members);
    this.#sorted = null;
    return members;
  }
}

function splitOf(around: StackAround): Split {
  const front = new TierMembers(around.tier);
  return { around, front, rest: new TierMembers(around.tier, front) };
}
