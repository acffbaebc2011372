// Which rules of other programs use the bits of a packet's mark that ours do.

import { chainPrefix } from "../names.ts";
import type { MarkBits } from "../options.ts";

/** VALUE, or VALUE/MASK. */
const marks = /--(?:mark|set-xmark|set-mark|or-mark|and-mark|xor-mark) (0x[0-9a-f]+)(?:\/(0x[0-9a-f]+))?/gi;

/** The first such rule of the tables that iptables-save printed; null: there is none. */
export function ruleWithMark(save: string, { allow, pass }: MarkBits): string | null {
  const ours = BigInt(allow) | BigInt(pass);
  const rule = save
    .split("\n")
    .find((line) => line.startsWith("-A ") && !line.startsWith(`-A ${chainPrefix}`) && uses(line, ours));
  return rule ?? null;
}

function uses(rule: string, ours: bigint): boolean {
  return [...rule.matchAll(marks)].some(([, value = "0", mask = value]) => (BigInt(mask) & ours) !== 0n);
}
