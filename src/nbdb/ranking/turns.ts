// The levels of policies that take turns rule by rule (policy/order.ts): one for each index and action that any of them has,
// in the order in which they are asked. Rules of one index and action share a level, whichever policy and direction they
// are of. A level that is added or removed moves those behind it.

import { CountedSet } from "../../lib/counted-set.ts";
import type { Policy, PolicyKey, Rule } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import { placeInTurn } from "../../policy/order.ts";
import { factsOf } from "../../policy/rule-list.ts";

const none: ReadonlySet<number> = new Set();

export class EqualsLevels {
  readonly #of = new Map<PolicyKey, ReadonlySet<number>>();
  readonly #used = new CountedSet<number>();
  /** In order. */
  #levels: readonly number[] = [];

  policies(): Iterable<PolicyKey> {
    return this.#of.keys();
  }

  get isEmpty(): boolean {
    return this.#of.size === 0;
  }

  isOnly(key: PolicyKey): boolean {
    return this.#of.size === 1 && this.#of.has(key);
  }

  /** At least one, as of any policy. */
  get length(): number {
    return Math.max(1, this.#levels.length);
  }

  /** The length with this policy in the place of its earlier version. */
  lengthWith(policy: Policy): number {
    const own = this.#of.get(policy.key) ?? none;
    const kept = (level: number): boolean => this.#used.count(level) > (own.has(level) ? 1 : 0);
    const come = [...levelsIn(policy)].filter((level) => !kept(level)).length;
    return Math.max(1, this.#sizeWithout(policy.key) + come);
  }

  lengthWithout(key: PolicyKey): number {
    return Math.max(1, this.#sizeWithout(key));
  }

  /** Returns the policies of which a rule has another level now; the policy itself may be among them. */
  set(policy: Policy): readonly PolicyKey[] {
    return this.#become(policy.key, levelsIn(policy));
  }

  /** As `set`. */
  remove(key: PolicyKey): readonly PolicyKey[] {
    return this.#become(key, null);
  }

  /** How many levels precede the rule's; of a rule that no policy has, before where it would be. */
  offset(rule: Pick<Rule, "index" | "action">): number {
    const level = placeInTurn(rule);
    const at = this.#levels.findIndex((one) => one >= level);
    return at < 0 ? this.length - 1 : at;
  }

  #sizeWithout(key: PolicyKey): number {
    const sole = [...(this.#of.get(key) ?? none)].filter((level) => this.#used.count(level) === 1);
    return this.#used.size - sole.length;
  }

  #become(key: PolicyKey, levels: ReadonlySet<number> | null): readonly PolicyKey[] {
    const before = this.#of.get(key) ?? none;
    const come = [...(levels ?? none)].filter((level) => this.#used.add(level));
    const gone = [...before].filter((level) => this.#used.remove(level));
    if (levels === null) this.#of.delete(key);
    else this.#of.set(key, levels);
    if (come.length + gone.length === 0) return [];
    const first = Math.min(...come, ...gone);
    this.#levels = [...this.#used.keys()].sort((a, b) => a - b);
    return [...this.#of].filter(([, own]) => [...own].some((level) => level > first)).map(([one]) => one);
  }
}

function levelsIn({ rules }: Policy): ReadonlySet<number> {
  // Rules of one index have one action, as admitted.
  return new Set(directions.flatMap((direction) => factsOf(rules[direction]).heads.map(placeInTurn)));
}
