// Which rules of other programs use the bits of a packet's mark, or of a connection's, that ours do.

import { FilterRefusedError } from "../../live/filter-tools.ts";
import { chainPrefix } from "../../names.ts";
import type { OwnBits } from "../../options.ts";

/** VALUE, or VALUE/MASK. */
const mark = /^--(?:mark|set-xmark|set-mark|or-mark|and-mark|xor-mark)$/;
const ofConnections: ReadonlySet<string> = new Set(["connmark", "CONNMARK"]);

export interface MarkUse {
  readonly of: keyof OwnBits;
  readonly rule: string;
}

/** The first such rule of the tables that iptables-save printed; null: there is none. */
export function useOfMark(save: string, ours: OwnBits): MarkUse | null {
  for (const rule of save.split("\n")) {
    if (!rule.startsWith("-A ") || rule.startsWith(`-A ${chainPrefix}`)) continue;
    const used = bitsOf(rule.split(" "));
    const of = (["packet", "connection"] as const).find((one) => (used[one] & BigInt(ours[one])) !== 0n);
    if (of !== undefined) return { of, rule };
  }
  return null;
}

const flags: Readonly<Record<keyof OwnBits, string>> = {
  packet: "--mark",
  connection: "--established recheck",
};

/** Throws a FilterRefusedError where there is such a rule. */
export function refuseMarks(save: string, ours: OwnBits): void {
  const use = useOfMark(save, ours);
  if (use === null) return;
  throw new FilterRefusedError(`a rule of another program uses the bits of ${flags[use.of]}: ${use.rule}`);
}

/** By the match or the target before an option. */
function bitsOf(words: readonly string[]): Readonly<Record<keyof OwnBits, bigint>> {
  const used = { packet: 0n, connection: 0n };
  let of: keyof OwnBits = "packet";
  for (const [at, word] of words.entries()) {
    const next = words[at + 1] ?? "";
    if (word === "-m" || word === "-j") of = ofConnections.has(next) ? "connection" : "packet";
    const [, value, mask = value] = /^(0x[0-9a-f]+)(?:\/(0x[0-9a-f]+))?$/i.exec(next) ?? [];
    if (mark.test(word) && mask !== undefined) used[of] |= BigInt(mask);
  }
  return used;
}
