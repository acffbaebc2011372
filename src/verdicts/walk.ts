// What each entry decides of the traffic that meets a list of entries, in the order of evaluation. Policies of one tier and
// equal priority share what reaches their priority, for the API leaves their order open: each decides what its rules match
// first, in some order. Follows policy/ties.ts.

import type { Action } from "../policy/ir.ts";
import type { Entry } from "./entries.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";

/** `unknown`: both, since policies of equal priority disagree. */
export type ClassVerdict = "allow" | "deny" | "unknown";

/** `actions`: of all that may decide; `isSilent`: nothing may decide, too, which allows. */
export function verdictOf(actions: ReadonlySet<Action>, isSilent: boolean): ClassVerdict {
  const mayAllow = isSilent || actions.has("allow");
  if (!actions.has("deny") && !actions.has("reject")) return "allow";
  return mayAllow ? "unknown" : "deny";
}

/** Both sides must allow. */
export function joined(...sides: readonly ClassVerdict[]): ClassVerdict {
  if (sides.includes("deny")) return "deny";
  return sides.includes("unknown") ? "unknown" : "allow";
}

/** An entry that a pair of ends meets with the traffic that it matches. */
export interface Met {
  readonly entry: Entry;
  readonly traffic: Traffic;
}

export interface Spoken {
  readonly entry: Entry;
  /** What the entry matches and no earlier one of its policy does. */
  readonly first: Traffic;
  /** Of it, what the entry may decide or pass. */
  readonly said: Traffic;
}

export interface Walked {
  /** Entries that match something. */
  readonly met: readonly Met[];
  readonly says: readonly Spoken[];
  /** What may reach the end of every tier: allowed. */
  readonly silent: Traffic;
}

/** `entries` in the order of evaluation; `matched`: what an entry matches of all that there is. */
export function walk(entries: readonly Entry[], matched: (entry: Entry) => Traffic, all: Traffic): Walked {
  const met: Met[] = [];
  for (const entry of entries) {
    const traffic = matched(entry) & all;
    if (traffic !== noTraffic) met.push({ entry, traffic });
  }
  const says: Spoken[] = [];
  let open = all;
  for (const tier of runsOf(met, ({ entry: a }, { entry: b }) => a.tier === b.tier))
    open = walkTier(tier, open, says);
  return { met, says, silent: open };
}

/** Returns what reaches the next tier: what was passed, and what nothing here matches. */
function walkTier(tier: readonly Met[], open: Traffic, says: Spoken[]): Traffic {
  let [passed, left] = [noTraffic, open];
  for (const equals of runsOf(tier, haveOnePlace)) {
    const turns = runsOf(equals, ({ entry: a }, { entry: b }) => a.turn === b.turn);
    let taken = noTraffic;
    for (const spoken of turns.flatMap((turn) => walkTurn(turn, left))) {
      says.push(spoken);
      if (!spoken.entry.isOpen) taken |= spoken.said;
      if (spoken.entry.action === "pass") passed |= spoken.said;
    }
    left &= ~taken;
  }
  return passed | left;
}

/** Isolations all do the same: the first of them decides. */
function haveOnePlace({ entry: a }: Met, { entry: b }: Met): boolean {
  return !a.isolates && !b.isolates && a.priority === b.priority;
}

/** `left`: what reaches the policy, or the policies that take turns. */
function walkTurn(turn: readonly Met[], left: Traffic): readonly Spoken[] {
  const taken = new Map<string, Traffic>();
  let open = left;
  return turn.map(({ entry, traffic }) => {
    const own = taken.get(entry.policy) ?? noTraffic;
    const said = traffic & open;
    if (!entry.isOpen) {
      taken.set(entry.policy, own | traffic);
      open &= ~traffic;
    }
    return { entry, first: traffic & ~own, said };
  });
}

/** Neighbours that belong together. */
export function runsOf<T>(list: readonly T[], together: (a: T, b: T) => boolean): readonly (readonly T[])[] {
  const found: T[][] = [];
  for (const one of list) {
    const run = found.at(-1);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && together(before, one)) run.push(one);
    else found.push([one]);
  }
  return found;
}
