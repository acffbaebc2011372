// Lines that pass, apart from the others. In nftables `return` leaves one chain: a line that ends its tier must be in the tier's own
// chain, and the lines before and behind it are blocks with chains of their own. So a verdict needs no mark of the packet.

import { Remembered } from "../../lib/remembered.ts";
import type { Block, FilterProgram, Line, TierProgram } from "../program.ts";

/** The same program. In each block every line passes, or none does. */
export function withPassesApart({ egress, ingress }: FilterProgram): FilterProgram {
  return { egress: egress.map(ofTier), ingress: ingress.map(ofTier) };
}

/** Of a block whose lines are all alike. */
export function passes({ lines: [first] }: Block): boolean {
  return first?.verdict === "pass";
}

function ofTier(tier: TierProgram): TierProgram {
  const branches = tier.branches.map((branch) => ({ ...branch, blocks: branch.blocks.flatMap(ofBlock) }));
  return { ...tier, branches };
}

/** Of blocks that are printed again because others have changed. */
const known = new Remembered<Block, "runs", readonly Block[]>();

function ofBlock(block: Block): readonly Block[] {
  return known.of(block, "runs", () => runsOf(block));
}

function runsOf(block: Block): readonly Block[] {
  const runs: Line[][] = [];
  for (const line of block.lines) {
    const last = runs.at(-1);
    if (last?.[0] !== undefined && isPass(last[0]) === isPass(line)) last.push(line);
    else runs.push([line]);
  }
  return runs.length === 1 ? [block] : runs.map((lines) => ({ ...block, lines }));
}

function isPass({ verdict }: Line): boolean {
  return verdict === "pass";
}
