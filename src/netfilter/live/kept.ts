// Chains that stay although nothing desires them: those of policies that exist and cannot be read, and of policies that the tools have
// refused in their present form. They keep their neighbors; where the order among others is not known any more, they are asked first.

import { isSameList } from "../../lib/same-list.ts";
import type { Direction } from "../../policy/ir.ts";
import { directions } from "../../policy/ir.ts";
import type { ActualChains } from "./actual.ts";
import { rulesOf, withKept } from "./chain-items.ts";
import type { ChainForm, Item } from "./language.ts";
import type { RuleOwner } from "../comment.ts";
import { ownerOfRule } from "../comment.ts";
import { chains } from "../names.ts";
import type { ChainText } from "../print-hooks.ts";
import { ofAll } from "../print-hooks.ts";

/** Whether a policy's rules stay. */
export type Keeps = (owner: RuleOwner) => boolean;

/** The desired chains, with those that stay. Returns `desired` where none does. */
export function withKeptChains(
  desired: readonly ChainText[],
  actual: ActualChains,
  keeps: Keeps,
  form: ChainForm,
): readonly ChainText[] {
  const merge = new Merge(desired, actual, keeps, form);
  for (const direction of directions) merge.side(direction);
  return merge.result;
}

class Merge {
  readonly #desired: readonly ChainText[];
  readonly #actual: ActualChains;
  readonly #keeps: Keeps;
  readonly #form: ChainForm;
  readonly #chains: Map<string, ChainText>;
  readonly #desiredNames: ReadonlySet<string>;
  #isAny = false;

  constructor(desired: readonly ChainText[], actual: ActualChains, keeps: Keeps, form: ChainForm) {
    this.#form = form;
    this.#desired = desired;
    this.#actual = actual;
    this.#keeps = keeps;
    this.#desiredNames = new Set(desired.map(({ name }) => name));
    this.#chains = new Map(desired.map((chain) => [chain.name, chain]));
  }

  get result(): readonly ChainText[] {
    return this.#isAny ? [...this.#chains.values()] : this.#desired;
  }

  side(direction: Direction): void {
    const side = chains[direction];
    const before = this.#form.tierCalls(this.#before(side));
    for (const { target } of before) this.#tier(target);
    const all = this.#after(side);
    const desired = this.#form.tierCalls(all);
    const first = all.slice(0, all.length - desired.flatMap(({ rules }) => rules).length);
    const calls = withKept(desired, before, ({ target }) => this.#chains.has(target));
    if (this.#isAny) this.#put(side, [...first, ...calls.flatMap(({ rules }) => rules)]);
  }

  #tier(name: string): void {
    const calls = this.#form.namespaces(name, this.#actual);
    const called = calls.filter(({ target }) => this.#keepsAnyOf(target));
    const isDirect = this.#keepsAnyOf(name);
    if (called.length === 0 && !isDirect) return;
    this.#isAny = true;
    const isDispatching = this.#namespacesNow(name).length > 0;
    if (this.#after(name).length === 0 || isDispatching === !isDirect) {
      if (isDirect) this.#branch(name, name);
      for (const { target } of called) this.#branch(target, target);
      if (!isDirect) this.#dispatch(name, calls);
      return;
    }
    // Some are about the pods of a namespace and some about any: no namespace may be taken out.
    for (const { target } of this.#namespacesNow(name)) this.#branch(name, target, target);
    for (const { target } of isDirect ? [{ target: name }] : called) this.#branch(name, target);
  }

  #dispatch(name: string, before: readonly Item[]): void {
    const all = withKept(this.#namespacesNow(name), before, ({ target }) => this.#chains.has(target));
    const desired = this.#after(name);
    this.#put(name, this.#form.dispatch(all, desired.length > 0 ? desired : this.#before(name)));
  }

  #namespacesNow(tier: string): readonly Item[] {
    return this.#form.namespaces(tier, new Map([...this.#chains].map(([name, { rules }]) => [name, rules])));
  }

  /** Adds to the chain what stays of `source`, a chain of before, and all of `other`, a desired one. */
  #branch(name: string, source: string, other: string | null = null): void {
    const own = this.#form.branchItems(this.#after(name));
    const added = other === null ? { blocks: [], ends: [] } : this.#form.branchItems(this.#after(other));
    const before = this.#form.branchItems(this.#before(source));
    const keeps = (item: Item) => this.#keepsItem(item);
    const items = {
      blocks: withKept([...own.blocks, ...added.blocks], before.blocks, keeps),
      ends: withKept([...own.ends, ...added.ends], before.ends, keeps),
    };
    this.#put(name, rulesOf(items));
    for (const { target } of items.blocks)
      if (target !== "" && !this.#chains.has(target)) this.#put(target, this.#before(target));
  }

  #keepsAnyOf(name: string): boolean {
    if (isSameList(this.#before(name), this.#after(name))) return false;
    const { blocks, ends } = this.#form.branchItems(this.#before(name));
    return [...blocks, ...ends].some((item) => this.#keepsItem(item));
  }

  #keepsItem({ rules, target }: Item): boolean {
    const decides = target === "" || target === chains.deny;
    if (!decides && this.#desiredNames.has(target)) return false;
    const rule = decides ? rules.at(-1) : this.#before(target).at(-1);
    const owner = ownerOfRule(rule ?? "");
    return owner !== null && this.#keeps(owner);
  }

  #before(name: string): readonly string[] {
    return this.#actual.get(name) ?? [];
  }

  #after(name: string): readonly string[] {
    return this.#chains.get(name)?.rules ?? [];
  }

  #put(name: string, rules: readonly string[]): void {
    const known = this.#chains.get(name);
    this.#chains.set(name, known === undefined ? ofAll(name, rules) : { ...known, rules });
  }
}
