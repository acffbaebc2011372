// What becomes of every rule in a world: whether it matches a connection, whether it does so first in its policy, whether it
// ever decides or passes one, and which rules come before it where it does not. One pass over the rows, a second for those
// that came to nothing.

import type { Policy } from "../../policy/ir.ts";
import type { Entry } from "./order.ts";
import type { Pair, Reach } from "./reach.ts";
import { noTraffic } from "./traffic.ts";
import type { Row, Said } from "./walk.ts";

/**
 * - `unmatched`: it matches no connection.
 * - `shadowed`: whatever it matches, an earlier rule of its policy matches.
 * - `unreachable`: not shadowed, and whatever it matches, others decide before it, in any order of equal priorities.
 * - `speaks`: it decides or passes a connection, at least in some order of equal priorities.
 *
 * Removing a rule changes who decides or passes a connection, in some order, exactly when it speaks. The verdict may stay the
 * same all the same.
 */
export type Fate = "unmatched" | "shadowed" | "unreachable" | "speaks";

/** Who decides before a rule: a rule, or the isolation by a policy. */
export interface Before {
  readonly policy: Policy;
  readonly entry: Entry | null;
}

const fates: readonly Fate[] = ["unmatched", "shadowed", "unreachable", "speaks"];

export class Fates {
  readonly #fates = new Map<Entry, Fate>();
  readonly #before = new Map<Entry, Before[]>();

  constructor(reach: Reach) {
    const rows = new Set<Row>(Iterator.from(reach.pairs()).map(({ row }: Pair) => row));
    for (const row of rows) for (const one of row.says) this.#see(one);
    for (const row of rows) this.#explain(row);
  }

  of(entry: Entry): Fate {
    return this.#fates.get(entry) ?? "unmatched";
  }

  /** Of a rule that is shadowed or unreachable, in order of evaluation, each once. */
  before(entry: Entry): readonly Before[] {
    return this.#before.get(entry) ?? [];
  }

  #see({ entry, first, said }: Said): void {
    if (entry === null) return;
    const fate = said !== noTraffic ? "speaks" : first !== noTraffic ? "unreachable" : "shadowed";
    const known = this.of(entry);
    if (fates.indexOf(fate) > fates.indexOf(known)) this.#fates.set(entry, fate);
  }

  #explain({ met, says }: Row): void {
    for (const { entry, traffic } of met) {
      const fate = this.of(entry);
      if (fate === "speaks") continue;
      const own = fate === "shadowed";
      for (const said of says) {
        if (said.entry === entry) break;
        const hides = own ? said.policy === entry.policy && said.first & traffic : said.said & traffic;
        if (hides !== false && hides !== noTraffic) this.#note(entry, said);
      }
    }
  }

  #note(hidden: Entry, { policy, entry }: Said): void {
    const known = this.#before.get(hidden) ?? [];
    this.#before.set(hidden, known);
    if (!known.some((one) => one.policy === policy && one.entry === entry)) known.push({ policy, entry });
  }
}
