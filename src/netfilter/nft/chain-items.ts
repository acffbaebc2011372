// The rules of a table's chains that call others, item by item. A rule that passes is in the chain of its tier, and decides by itself.

import type { BranchItems, ChainForm, Item } from "../live/language.ts";
import { chains, patterns } from "../names.ts";

export const tableChains: ChainForm = {
  tierCalls: (rules) => rules.map(itemOf).filter(({ target }) => patterns.tier.test(target)),
  namespaces: (tier, all) =>
    [...all.keys()]
      .filter((name) => name.startsWith(`${tier}-`))
      .map((target) => ({ rules: [target], target })),
  // By the map, whatever chains there are.
  dispatch: (_calls, rules) => rules,
  branchItems,
};

function itemOf(rule: string): Item {
  return { rules: [rule], target: /\b(?:jump|goto) (\S+)/.exec(rule)?.[1] ?? "" };
}

/** Rules that lead to chains of namespaces are left out. */
function branchItems(rules: readonly string[]): BranchItems {
  const items = rules.flatMap((rule, at): readonly Item[] => {
    if (isLog(rule) || rule.includes(" vmap @")) return [];
    const before = rules[at - 1];
    const { target } = itemOf(rule);
    return [{ rules: before !== undefined && isLog(before) ? [before, rule] : [rule], target }];
  });
  const isEnd = ({ target }: Item): boolean => target === chains.deny;
  return { blocks: items.filter((item) => !isEnd(item)), ends: items.filter(isEnd) };
}

function isLog(rule: string): boolean {
  return rule.includes(' log prefix "');
}
