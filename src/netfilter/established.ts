// The rules about connections that are established. With --established recheck, they follow edits of policies: the connection's mark has
// the number of the policies that let its last packet pass, and a packet of a connection with another number is judged again.

import type { FilterForm, OwnBits } from "./options.ts";

/** The bits of a connection's mark that have the number, from 1 to `most`; 0: nothing of ours has judged it. */
const bits = { shift: 24, most: 255 } as const;

/** The numbers of policies follow one another, in a ring. */
export function numberAfter(number: number): number {
  return (number % bits.most) + 1;
}

export function inMark(number: number): number {
  return number * 2 ** bits.shift;
}

export function outOfMark(mark: number): number {
  return mark / 2 ** bits.shift;
}

function numberText(number: number): string {
  return `0x${inMark(number).toString(16)}/0x${inMark(bits.most).toString(16)}`;
}

export function ownBitsOf({ mark: { allow, pass }, established }: FilterForm): OwnBits {
  return { packet: allow + pass, connection: established === "keep" ? 0 : inMark(bits.most) };
}

/** At the head of a hook's chain: what passes without being judged, and with `recheck` at its end: what passes is marked. */
export interface EstablishedRules {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

export const keeping: EstablishedRules = {
  first: ["-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"],
  last: [],
};

export function rechecking(number: number): EstablishedRules {
  return {
    first: [
      "-m conntrack --ctstate RELATED -j RETURN",
      "-m conntrack --ctstate ESTABLISHED --ctdir REPLY -j RETURN",
      `-m connmark --mark ${numberText(number)} -m conntrack --ctstate ESTABLISHED -j RETURN`,
    ],
    last: [`-j CONNMARK --set-xmark ${numberText(number)}`],
  };
}

const set = /^-j CONNMARK --set-xmark (0x[0-9a-f]+)\//;

/** Of a hook's chain; null: it has none. */
export function numberIn(rules: readonly string[]): number | null {
  const [, value] = set.exec(rules.at(-1) ?? "") ?? [];
  return value === undefined ? null : outOfMark(Number(value));
}
