// The rules of the chains that call others, item by item: in a side's chain the calls of its tiers, in a tier's chain the blocks of
// policies or the calls of namespaces, behind them the ends of isolated pods. A rule that is none of these is left out.

import { chains, patterns } from "../names.ts";
import type { BranchItems, ChainForm, Item } from "./language.ts";

const target = /-[jg] (\S+)$/;

function targetOf(rule: string): string {
  return target.exec(rule)?.[1] ?? "";
}

/** A call, and the rules that look at the verdict. */
function callsOf(rules: readonly string[], called: RegExp, others: number): readonly Item[] {
  return rules.flatMap((rule, at) =>
    called.test(targetOf(rule)) ? [{ rules: rules.slice(at, at + 1 + others), target: targetOf(rule) }] : [],
  );
}

/** Of iptables. */
export const iptablesChains: ChainForm = {
  tierCalls: (rules) => callsOf(rules, patterns.tier, 2),
  namespaces: (tier, all) => callsOf(all.get(tier) ?? [], patterns.namespace, 0),
  dispatch: (calls) => calls.flatMap(({ rules }) => rules),
  branchItems,
};

function branchItems(rules: readonly string[]): BranchItems {
  const ends = rules.flatMap((rule, at) => {
    if (targetOf(rule) !== chains.deny) return [];
    const before = rules[at - 1];
    const isLogged = before?.includes(" -j NFLOG ") === true;
    return [{ rules: isLogged ? [before, rule] : [rule], target: chains.deny }];
  });
  return { blocks: callsOf(rules, patterns.block, 1), ends };
}

export function rulesOf({ blocks, ends }: BranchItems): readonly string[] {
  return [...blocks, ...ends].flatMap(({ rules }) => rules);
}

/** The items, with those of before that `keeps` wants, each behind the same neighbor as before, or in front. */
export function withKept(
  items: readonly Item[],
  before: readonly Item[],
  keeps: (item: Item) => boolean,
): readonly Item[] {
  const result = [...items];
  const textOf = ({ rules }: Item) => rules.join("\n");
  let last = -1;
  for (const item of before) {
    const at = result.findIndex((one) => textOf(one) === textOf(item));
    if (at >= 0) last = Math.max(last, at);
    else if (keeps(item)) result.splice(++last, 0, item);
  }
  return result;
}
