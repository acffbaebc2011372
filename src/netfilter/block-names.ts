// The chain of each block of a side.

import { invariant } from "../lib/invariant.ts";
import type { Direction, PolicyKey } from "../policy/ir.ts";
import { blockChain } from "./names.ts";
import type { Block, TierProgram } from "./program.ts";

/** The name of a block's chain. A policy has several blocks where rules of others come between its rules. */
export function blockNames(tiers: readonly TierProgram[], direction: Direction): (block: Block) => string {
  const counts = new Map<PolicyKey, number>();
  const names = new Map<Block, string>();
  const blocks = tiers.flatMap(({ branches }) => branches.flatMap((branch) => branch.blocks));
  for (const block of blocks) {
    const nth = counts.get(block.policy) ?? 0;
    counts.set(block.policy, nth + 1);
    names.set(block, blockChain(direction, block.policy, nth));
  }
  return (block) => {
    const name = names.get(block);
    invariant(name !== undefined, `a block of ${block.policy} has no chain`);
    return name;
  };
}
