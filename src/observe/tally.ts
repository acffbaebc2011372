// Counts of rules that only grow, from readings of flow entries whose counts may fall: an entry goes when an address leaves its set,
// and another change makes it anew. So differences are taken entry by entry. What an entry has counted after its last reading and
// before its end is lost.

import type { FlowEntry } from "./openflow/messages.ts";
import type { RuleFlow } from "./flows.ts";
import type { ConnectionState, ObservedRule } from "./rule.ts";
import { keyOfRule } from "./rule.ts";

/** What a switch has answered at once. */
export interface Reading {
  /** Of the clock, milliseconds: when it was asked, and when its answer was there. */
  readonly askedMs: number;
  readonly answeredMs: number;
  readonly entries: readonly FlowEntry[];
}

export interface RuleCount {
  readonly rule: ObservedRule;
  readonly state: ConnectionState;
  readonly packets: number;
  readonly bytes: number;
  /** Entries of the switch that have counted at the last reading; 0: no packet of this node can meet the rule. */
  readonly entries: number;
  /** Unix time, milliseconds, of the first reading in which the rule had an entry; null: it had none. */
  readonly sinceMs: number | null;
  /** Milliseconds since the oldest of these entries was made; null: there is none. */
  readonly ageMs: number | null;
}

/** Changed in place. */
type OwnCount = { -readonly [K in keyof RuleCount]: RuleCount[K] } & {
  /** The last reading for which the rule had a flow. */
  reading: number;
};

interface LastSeen {
  /** The latest moment at which the entry can have been made. */
  readonly madeBeforeMs: number;
  readonly packets: number;
  readonly bytes: number;
  /** Of the reading that had it. */
  readonly reading: number;
}

/** Readings for which an entry that was not among the answers, or a rule without a flow, is remembered. */
const patience = 4;

export class Tally {
  /** Whether what was counted before the first reading is part of the counts. */
  readonly #isWhole: boolean;
  readonly #now: () => number;
  readonly #seen = new Map<string, LastSeen>();
  readonly #counts = new Map<string, OwnCount>();
  #readings = 0;

  /** `whole`: counts begin with what the entries have counted; `first reading`: with nothing. `now`: Unix time, milliseconds. */
  constructor(since: "whole" | "first reading", now: () => number = Date.now) {
    this.#isWhole = since === "whole";
    this.#now = now;
  }

  /** Of rules that have flows, and of those that had some not long ago. */
  get counts(): readonly RuleCount[] {
    return [...this.#counts.values()];
  }

  add(flows: readonly RuleFlow[], reading: Reading): void {
    this.#readings++;
    const now = this.#now();
    for (const count of this.#counts.values()) Object.assign(count, { entries: 0, ageMs: null });
    const byPlace = new Map(flows.map((flow) => [placeOf(flow), this.#countOf(flow)] as const));
    for (const entry of reading.entries) {
      const count = byPlace.get(placeOf(entry));
      // Another flow whose uuid begins alike.
      if (count === undefined) continue;
      const { packets, bytes } = this.#newIn(entry, reading);
      count.packets += packets;
      count.bytes += bytes;
      count.entries++;
      count.sinceMs ??= now;
      count.ageMs = Math.max(count.ageMs ?? 0, entry.ageMs);
    }
    for (const memory of [this.#seen, this.#counts])
      for (const [key, { reading: last }] of memory) if (last < this.#readings - patience) memory.delete(key);
  }

  #countOf({ rule, state }: RuleFlow): OwnCount {
    const key = `${state} ${keyOfRule(rule)}`;
    const none = { rule, state, packets: 0, bytes: 0, entries: 0, sinceMs: null, ageMs: null, reading: 0 };
    const count = this.#counts.get(key) ?? none;
    count.reading = this.#readings;
    this.#counts.set(key, count);
    return count;
  }

  /** What the entry has counted since it was seen last. */
  #newIn(entry: FlowEntry, { askedMs, answeredMs }: Reading): Pick<FlowEntry, "packets" | "bytes"> {
    const identity = `${entry.cookie} ${entry.table} ${entry.priority} ${entry.match}`;
    const last = this.#seen.get(identity);
    const { packets, bytes, ageMs } = entry;
    this.#seen.set(identity, {
      ...{ madeBeforeMs: answeredMs - ageMs, packets, bytes },
      reading: this.#readings,
    });
    const madeAfterMs = askedMs - ageMs;
    if (last === undefined) {
      const isUncounted = this.#isWhole || this.#readings > 1;
      return isUncounted ? { packets, bytes } : { packets: 0, bytes: 0 };
    }
    const isAnew = madeAfterMs > last.madeBeforeMs || packets < last.packets || bytes < last.bytes;
    return isAnew ? { packets, bytes } : { packets: packets - last.packets, bytes: bytes - last.bytes };
  }
}

function placeOf({ cookie, priority }: Pick<FlowEntry, "cookie" | "priority">): string {
  return `${cookie} ${priority}`;
}
