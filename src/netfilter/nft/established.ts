// The rules of nftables about connections that are established. With --established recheck, what passes is marked with the number of the
// policies behind both sides, by chains of their own: an `accept` ends one chain of a hook.

import { inMark, outOfMark } from "../established.ts";
import type { EstablishedForm } from "../options.ts";

/** A packet of one is not judged, nor is its connection marked: an answer, or what is related to another connection. */
const unjudged: readonly string[] = ["ct state 0x4 accept", "ct state 0x2 ct direction 1 accept"];

/** `number`: of the policies. */
export function openRules(established: EstablishedForm, number: number): readonly string[] {
  if (established === "keep") return ["ct state 0x2,0x4 accept"];
  return [...unjudged, `ct mark ${hex(inMark(number))}/8 ct state 0x2 accept`];
}

/** As nft prints them: what is kept of the mark is named with what is set. */
export function markRules(number: number): readonly string[] {
  const mark = inMark(number);
  const kept = mark + inMark(1) - 1;
  const others = number === outOfMark(0xff_00_00_00) ? "" : `& ${hex(kept)} `;
  return [...unjudged, `ct mark set ct mark ${others}| ${hex(mark)}`];
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}

const set = /^ct mark set ct mark (?:& 0x[0-9a-f]{8} )?\| (0x[0-9a-f]{8})$/;

/** Of a hook's chain; null: it marks nothing. */
export function numberIn(rules: readonly string[]): number | null {
  const [, value] = set.exec(rules.at(-1) ?? "") ?? [];
  return value === undefined ? null : outOfMark(Number(value));
}
