// What becomes of every rule in a world: whether it matches a connection, whether it does so first in its policy, whether it
// ever decides or passes one, and which rules precede it where it does not. One pass over the rows, a second for those
// that never decide.

import type { Policy } from "../../policy/ir.ts";
import type { OrderedRule } from "../entries.ts";
import type { Reach } from "../reach.ts";
import type { Contribution, Row } from "../row.ts";
import { noTraffic } from "../traffic.ts";

/**
 * - `unmatched`: it matches no connection.
 * - `shadowed`: whatever it matches, an earlier rule of its policy matches.
 * - `unreachable`: not shadowed, and whatever it matches, others decide before it, in any order of equal priorities.
 * - `speaks`: it decides or passes a connection, at least in some order of equal priorities.
 *
 * Removing a rule changes who decides or passes a connection, in some order, exactly when it speaks. The verdict may stay the
 * same all the same.
 */
export type Reachability = "unmatched" | "shadowed" | "unreachable" | "speaks";

/** Who decides before a rule: a rule, or the isolation by a policy. */
export interface Before {
  readonly policy: Policy;
  readonly entry: OrderedRule | null;
}

const reachabilities: readonly Reachability[] = ["unmatched", "shadowed", "unreachable", "speaks"];

export class RuleReachability {
  readonly #reach: Reach;
  readonly #reachability = new Map<OrderedRule, Reachability>();
  readonly #before = new Map<OrderedRule, Before[]>();

  constructor(reach: Reach) {
    this.#reach = reach;
    const rows = reach.rows();
    for (const row of rows) for (const one of row.says) this.#see(one);
    for (const row of rows) this.#explain(row);
  }

  of(entry: OrderedRule): Reachability {
    return this.#reachability.get(entry) ?? "unmatched";
  }

  /** Of a rule that is shadowed or unreachable, in order of evaluation, each once. */
  before(entry: OrderedRule): readonly Before[] {
    const placeOf = (one: Before): number => this.#reach.placeOf(entry.direction, one.entry ?? one.policy);
    return (this.#before.get(entry) ?? []).toSorted((a, b) => placeOf(a) - placeOf(b));
  }

  #see({ entry, first, said }: Contribution): void {
    if (entry === null) return;
    const reachability = said !== noTraffic ? "speaks" : first !== noTraffic ? "unreachable" : "shadowed";
    const known = this.of(entry);
    if (reachabilities.indexOf(reachability) > reachabilities.indexOf(known))
      this.#reachability.set(entry, reachability);
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

  #note(hidden: OrderedRule, { policy, entry }: Contribution): void {
    const known = this.#before.get(hidden) ?? [];
    this.#before.set(hidden, known);
    if (!known.some((one) => one.policy === policy && one.entry === entry)) known.push({ policy, entry });
  }
}
