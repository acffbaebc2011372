// The policies of one evaluation tier in the stack: what they need together, and whether its end is open. Each change costs its own
// policy: the one rule without conditions that passes at the end is looked for again only when another passes, or none does.

import type { Direction, Policy, PolicyKey, Tier } from "../../../policy/ir.ts";
import { directions } from "../../../policy/ir.ts";
import { byOrder } from "../places.ts";
import type { TierDemand } from "./assignment.ts";
import type { Member } from "./wishes.ts";

/** The only policy that passes, and how many others have rules behind it. */
interface Last {
  readonly member: Member;
  behind: number;
}

export class TierMembers implements TierDemand {
  readonly tier: Tier;
  readonly #members = new Map<PolicyKey, Member>();
  readonly #passing: Readonly<Record<Direction, Map<PolicyKey, Member>>> = {
    ingress: new Map(),
    egress: new Map(),
  };
  /** null: to be looked for. */
  readonly #last: Record<Direction, Last | null> = { ingress: null, egress: null };
  /** Of the same tier, those in front of another program's rows; null: there are none. */
  readonly #front: TierMembers | null;
  /** What holds the tier's end, if this is its front. */
  #rest: TierMembers | null = null;
  #levels = 0;

  /** `front`: these members are the rest of its tier. */
  constructor(tier: Tier, front: TierMembers | null = null) {
    this.tier = tier;
    this.#front = front;
    if (front !== null) front.#rest = this;
  }

  /** Whether the tier has no policies: the rest of one has its end as long as its front has some. */
  get isEmpty(): boolean {
    return this.#members.size === 0 && (this.#front?.isEmpty ?? true);
  }

  /** The members that have the end of the tier among them. */
  get atEnd(): TierMembers {
    return this.#rest ?? this;
  }

  get levels(): number {
    return this.#levels + 1;
  }

  get passes(): boolean {
    return directions.some((direction) => this.#passing[direction].size > 0 && !this.isOpenEnd(direction));
  }

  get(key: PolicyKey): Member | null {
    return this.#members.get(key) ?? null;
  }

  /** The policy, where it is one of the tier's as it stands. */
  those(policy: Policy | null): readonly Policy[] {
    return policy !== null && this.get(policy.key)?.policy === policy ? [policy] : [];
  }

  policies(): IteratorObject<Policy> {
    return this.#members.values().map(({ policy }) => policy);
  }

  /** Of the whole tier, in front of another program's rows as well. */
  keys(): readonly PolicyKey[] {
    return [...(this.#front?.keys() ?? []), ...this.#members.keys()];
  }

  /** The policies with a rule that passes in the direction as it was written. */
  passing(direction: Direction): IteratorObject<Policy> {
    return this.#passing[direction].values().map(({ policy }) => policy);
  }

  /** As PolicyPlaces.isOpenEnd. */
  isOpenEnd(direction: Direction): boolean {
    if (this.#rest !== null) return this.#rest.isOpenEnd(direction);
    if (this.#front !== null && this.#front.#passing[direction].size > 0) return false;
    const [only, ...others] = this.#passing[direction].values();
    if (only?.wish[direction] !== "trailing" || others.length > 0) return false;
    const last = this.#last[direction] ?? { member: only, behind: this.#behind(only, direction) };
    this.#last[direction] = last;
    return last.behind === 0;
  }

  /** Adds the policy, or replaces its earlier version. */
  set(member: Member): void {
    const { key } = member.policy;
    this.delete(key);
    this.#members.set(key, member);
    this.#count(member, 1);
  }

  /** A key that is not there changes nothing. */
  delete(key: PolicyKey): void {
    const member = this.#members.get(key);
    if (member === undefined) return;
    this.#members.delete(key);
    this.#count(member, -1);
  }

  #count(member: Member, step: 1 | -1): void {
    this.#levels += step * member.levels;
    for (const direction of directions) {
      const last = this.#last[direction];
      if (member.wish[direction] !== "none") {
        this.#last[direction] = null;
        if (step > 0) this.#passing[direction].set(member.policy.key, member);
        else this.#passing[direction].delete(member.policy.key);
      } else if (last !== null && isBehind(member, last.member, direction)) last.behind += step;
    }
  }

  #behind(last: Member, direction: Direction): number {
    return this.#members.values().reduce((sum, one) => sum + (isBehind(one, last, direction) ? 1 : 0), 0);
  }
}

/** Whether a rule of the policy may be asked after those of the other. */
function isBehind({ policy }: Member, { policy: last }: Member, direction: Direction): boolean {
  if (policy.key === last.key || policy.rules[direction].length === 0) return false;
  return policy.interleaved === true || byOrder(policy, last) > 0;
}
