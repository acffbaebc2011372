// What a claim says of its holder besides its identity: the zone whose rows it writes, and the flags that shape them. Two
// programs that differ in the zone must never write to one database; two that differ in a flag would rewrite each other's
// rows. Compares and words only; election.ts acts on it.

import { quote } from "../../model/quote.ts";

export interface WriterProfile {
  /** The node of `--zone`; null: the database is for all nodes. */
  readonly zone: string | null;
  /** By the name of the flag, without dashes, its value; neither has a space in it. */
  readonly flags: ReadonlyMap<string, string>;
}

const central = "central";

/** `central`, or `node NAME`: no node's name makes it `central`. */
export function zoneText({ zone }: WriterProfile): string {
  return zone === null ? central : `node ${zone}`;
}

/** undefined: the text says no zone. */
export function zoneFrom(text: string): string | null | undefined {
  if (text === central) return null;
  return text.startsWith("node ") ? text.slice("node ".length) : undefined;
}

export function flagsText({ flags }: WriterProfile): string {
  return Array.from(flags, ([name, value]) => `${name}=${value}`).join(" ");
}

export function flagsFrom(text: string): WriterProfile["flags"] {
  const pairs = text.split(" ").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, value.join("=")] as const;
  });
  return new Map(pairs.filter(([name]) => name !== ""));
}

/** For people. */
export function shownZone(zone: string | null): string {
  return zone === null ? "all nodes (no --zone)" : `--zone ${quote(zone)}`;
}

/** What a claim says of a flag, and what this program was given. */
export interface FlagDifference {
  readonly flag: string;
  readonly theirs: string;
  readonly ours: string;
}

/** A flag that one of the two does not name is no difference: their versions differ. */
export function flagDifferences(
  theirs: WriterProfile["flags"],
  ours: WriterProfile["flags"],
): readonly FlagDifference[] {
  return Array.from(ours, ([flag, value]) => ({
    flag,
    theirs: theirs.get(flag) ?? value,
    ours: value,
  })).filter((one) => one.theirs !== one.ours);
}
