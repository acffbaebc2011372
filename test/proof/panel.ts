// Which judges of packets sit, and over how many worlds and walks, from which seed: all of them over the numbers of `make test`
// and a seed of the moment, unless the environment says otherwise. The only place that reads it; a judge nobody knows is
// refused, and so is an empty panel.

import { randomInt } from "node:crypto";

const judges = ["trace", "dataplane", "rows"] as const;
export type PacketJudge = (typeof judges)[number];

/** Seeds are signed numbers of 32 bits. */
const largest = 2 ** 31 - 1;

const sitting = judgesIn(process.env["NORTHGATE_PROOF_JUDGES"] ?? "");

export const panel = {
  /** With the parts of it that other forms of rows have, some 80 in all; `make proof` has as many as asked for. */
  worlds: numberIn("NORTHGATE_PROOF_WORLDS", 22),
  walks: numberIn("NORTHGATE_PROOF_WALKS", 2),
  /** Of random worlds: printed, and the same worlds come again with `SEED=`. */
  seed: numberIn("SEED", randomInt(1, 1_000_000)),
} as const;

export function sits(judge: PacketJudge): boolean {
  return sitting.has(judge);
}

function judgesIn(text: string): ReadonlySet<string> {
  if (text === "") return new Set(judges);
  const names = text.split(",");
  const unknown = names.find((name) => !judges.some((judge) => judge === name));
  if (unknown !== undefined)
    throw new Error(`NORTHGATE_PROOF_JUDGES=${text}: "${unknown}" is none of ${judges.join(", ")}`);
  return new Set(names);
}

function numberIn(name: string, otherwise: number): number {
  const text = process.env[name] ?? "";
  if (text === "") return otherwise;
  // A seed is often a date.
  if (!/^[1-9]\d{0,9}$/.test(text) || Number(text) > largest)
    throw new Error(`${name}=${text}: not a whole number from 1 to ${largest}`);
  return Number(text);
}
