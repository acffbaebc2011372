// With --established recheck, the number of the policies in a node's rules: the next one whenever the chains of policies differ from
// those of the node. The node's own rules keep it, so that no restart changes it.

import { isSameList } from "../../lib/same-list.ts";
import { numberAfter, numberIn } from "../established.ts";
import { chains } from "../names.ts";
import type { ChainText } from "../print-hooks.ts";
import type { ActualChains } from "./actual.ts";

const hooks: readonly string[] = [chains.forward, chains.input];

/** `desired`, which has the first number, with the one that is right behind `actual`. `print`: the chains of the hooks with a number. */
export function withGeneration(
  desired: readonly ChainText[],
  actual: ActualChains,
  print: (number: number) => readonly ChainText[],
): readonly ChainText[] {
  const numbers = hooks.flatMap((hook) => numberIn(actual.get(hook) ?? []) ?? []);
  if (numbers.length === 0) return desired;
  const number = Math.max(...numbers);
  const others = desired.filter(({ name }) => !hooks.includes(name));
  const isSame =
    actual.size === desired.length &&
    others.every(({ name, rules }) => isSameList(actual.get(name) ?? [], rules));
  const printed = print(isSame ? number : numberAfter(number));
  const byName = new Map(printed.map((chain) => [chain.name, chain]));
  return desired.map((chain) => byName.get(chain.name) ?? chain);
}
