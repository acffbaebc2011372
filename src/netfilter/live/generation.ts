// With --established recheck, the number of the policies in a node's rules: the next one whenever the chains of policies differ from
// those of the node. The node's own rules keep it, so that no restart changes it.

import { isSameList } from "../../lib/same-list.ts";
import { numberAfter } from "../established.ts";
import type { ChainText } from "../print-hooks.ts";
import type { ActualChains } from "./actual.ts";

/** How a tool's rules name the number. */
export interface NumberForm {
  /** The chains of the hooks with a number. */
  readonly print: (number: number) => readonly ChainText[];
  /** Of one of them; null: it has none. */
  readonly numberIn: (rules: readonly string[]) => number | null;
}

/** `desired`, which has the first number, with the one that is right behind `actual`. */
export function withGeneration(
  desired: readonly ChainText[],
  actual: ActualChains,
  { print, numberIn }: NumberForm,
): readonly ChainText[] {
  const hooks = new Set(print(1).map(({ name }) => name));
  const numbers = [...hooks].flatMap((hook) => numberIn(actual.get(hook) ?? []) ?? []);
  if (numbers.length === 0) return desired;
  const number = Math.max(...numbers);
  const others = desired.filter(({ name }) => !hooks.has(name));
  const isSame =
    actual.size === desired.length &&
    others.every(({ name, rules }) => isSameList(actual.get(name) ?? [], rules));
  const printed = print(isSame ? number : numberAfter(number));
  const byName = new Map(printed.map((chain) => [chain.name, chain]));
  return desired.map((chain) => byName.get(chain.name) ?? chain);
}
