// What several connections have in common on each part of the traffic: all are allowed, some, none, or that is unknown.

import type { Traffic } from "../verdicts/traffic.ts";
import { noTraffic } from "../verdicts/traffic.ts";
import type { Crossing } from "./crossings.ts";

/**
 * Of several connections, on some traffic:
 * - `all`: all are allowed
 * - `some`: some are allowed, and others denied
 * - `none`: all are denied
 * - `unknown`: what was not read decides which of these it is
 */
export const reaches = ["all", "some", "none", "unknown"] as const;
export type Reach = (typeof reaches)[number];

/** The traffic that is allowed, denied or unknown between some two ends. */
export interface Seen {
  allow: Traffic;
  deny: Traffic;
  unknown: Traffic;
}

export function nothingSeen(): Seen {
  return { allow: noTraffic, deny: noTraffic, unknown: noTraffic };
}

export function add(seen: Seen, { allow, deny, unknown }: Readonly<Seen>): void {
  seen.allow |= allow;
  seen.deny |= deny;
  seen.unknown |= unknown;
}

export function isNothing({ allow, deny, unknown }: Readonly<Seen>): boolean {
  return (allow | deny | unknown) === noTraffic;
}

/** Sums up what is between two classes once for all pairs that are decided alike. */
export class Summaries {
  readonly #known = new Map<readonly Crossing[], Readonly<Seen>>();

  /** The same object for the same list. */
  of(crossings: readonly Crossing[]): Readonly<Seen> {
    const known = this.#known.get(crossings);
    if (known !== undefined) return known;
    const seen = nothingSeen();
    for (const { verdict, traffic } of crossings) seen[verdict] |= traffic;
    this.#known.set(crossings, seen);
    return seen;
  }
}

/** Each part of the traffic has one of the words. */
export function reachOf({ allow, deny, unknown }: Readonly<Seen>): Readonly<Record<Reach, Traffic>> {
  const some = allow & deny;
  const open = unknown & ~some;
  return { all: allow & ~(some | open), some, none: deny & ~(some | open), unknown: open };
}
