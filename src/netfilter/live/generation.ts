// With --established recheck, the number of the policies in a node's rules: the next one whenever the chains of policies differ from
// those of the node. The node's own rules keep it, so that no restart changes it.

import { isSameList } from "../../lib/same-list.ts";
import { numberAfter, numberIn, rechecking } from "../established.ts";
import { chains } from "../names.ts";
import type { ChainText } from "../print-hooks.ts";
import type { ActualChains } from "./actual.ts";

const hooks: readonly string[] = [chains.forward, chains.input];

/** `desired`, which has the number 1, with the one that is right behind `actual`. */
export function withGeneration(desired: readonly ChainText[], actual: ActualChains): readonly ChainText[] {
  const numbers = hooks.flatMap((hook) => numberIn(actual.get(hook) ?? []) ?? []);
  if (numbers.length === 0) return desired;
  const number = Math.max(...numbers);
  const others = desired.filter(({ name }) => !hooks.includes(name));
  const isSame =
    actual.size === desired.length &&
    others.every(({ name, rules }) => isSameList(actual.get(name) ?? [], rules));
  const [printed, right] = [rechecking(), rechecking(isSame ? number : numberAfter(number))];
  const texts = new Map(
    [...printed.first, ...printed.last].map((rule, at) => [
      rule,
      [...right.first, ...right.last][at] ?? rule,
    ]),
  );
  return desired.map((chain) =>
    hooks.includes(chain.name)
      ? { ...chain, rules: chain.rules.map((rule) => texts.get(rule) ?? rule) }
      : chain,
  );
}
