// Which policies share their kind, tier and priority with another: each is to report the first other by name. A policy is
// reported when it settles; the others of its priority only when it has made another policy the first or the second of them, since
// that alone changes what any of them reports. Invariant: when all policies have settled, all that `allDuplicates`
// gives has been given.

import type { Engine, PolicyRecord } from "../controller/engine.ts";
import { rankOf } from "../controller/records.ts";
import type { Advice } from "./policy-events.ts";
import { adviceOfEquals } from "./policy-events.ts";

export class SharedPriorities {
  readonly #engine: Pick<Engine, "record" | "sharing">;
  /** The first two of each rank, as all others have reported them. */
  readonly #told = new Map<string, string>();

  constructor(engine: Pick<Engine, "record" | "sharing">) {
    this.#engine = engine;
  }

  /** What to report now that the record has settled: about itself, and about others that it concerns. */
  advice(record: PolicyRecord): readonly Advice[] {
    const rank = rankOf(record);
    if (rank === null) return [];
    const keys = this.#engine.sharing(record);
    const [first, second] = keys;
    if (first === undefined || second === undefined) {
      this.#told.delete(rank);
      return [];
    }
    const two = `${first} ${second}`;
    const isKnown = this.#told.get(rank) === two;
    this.#told.set(rank, two);
    const [one, other] = this.#records([first, second]);
    if (one === undefined || other === undefined) return [];
    return adviceOfEquals(isKnown ? [record] : this.#records(keys), one, other);
  }

  /** Nothing was reported. */
  clear(): void {
    this.#told.clear();
  }

  #records(keys: readonly PolicyRecord["key"][]): readonly PolicyRecord[] {
    return keys.flatMap((key) => this.#engine.record(key) ?? []);
  }
}
