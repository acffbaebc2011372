// The verdicts of a list of entries on all traffic, made once for each list. Where policies of one place disagree, every verdict
// that may follow is possible.

import type { PortsId } from "./ends/declared-ports.ts";
import type { Entry } from "./entries.ts";
import { Interner } from "./interner.ts";
import type { ListId } from "./lists.ts";
import type { Traffic } from "./traffic.ts";
import { noTraffic, textOf } from "./traffic.ts";
import type { ClassVerdict } from "./walk.ts";
import { runsOf, verdictOf } from "./walk.ts";
import type { Walker } from "./walker.ts";

export interface Outcome {
  readonly verdict: ClassVerdict;
  /** The deciding entries; several: a tie, whose order is open; none: no entry decides. */
  readonly by: readonly Entry[];
  /** All that have a say, those that pass it on too, in order. */
  readonly says: readonly Entry[];
}

/** What of the traffic may be allowed, and what may be denied: some of it may be both, none of it neither. */
export interface Table {
  readonly allow: Traffic;
  readonly deny: Traffic;
}

/** The number of a table; equal for lists of equal verdicts. */
export type TableId = number;

/** More than there are lists. */
const stride = 2 ** 32;

export class Tables {
  readonly #walker: Walker;
  readonly #ids = new Interner();
  readonly #tables: Table[] = [];
  /** By list; of lists that say no port by name, which are most. */
  readonly #plain: (TableId | undefined)[] = [];
  readonly #named = new Map<number, TableId>();
  #made = 0;

  constructor(walker: Walker) {
    this.#walker = walker;
  }

  /** How many tables were worked out. */
  get made(): number {
    return this.#made;
  }

  /** Of a list of entries met by connections to pods that declare these ports. */
  of(list: ListId, ports: PortsId): TableId {
    const plain = this.#plain[list];
    if (plain !== undefined) return plain;
    if (!this.#walker.hasNames(list)) return (this.#plain[list] = this.#work(list, 0));
    const key = ports * stride + list;
    const known = this.#named.get(key) ?? this.#work(list, ports);
    this.#named.set(key, known);
    return known;
  }

  #work(list: ListId, ports: PortsId): TableId {
    this.#made += 1;
    const { says, silent } = this.#walker.walk(list, ports);
    let [allow, deny] = [silent, noTraffic];
    for (const { entry, said } of says) {
      if (entry.action === "allow") allow |= said;
      else if (entry.action !== "pass") deny |= said;
    }
    const id = this.#ids.of(`${textOf(allow)} ${textOf(deny)}`);
    this.#tables[id] ??= { allow, deny };
    return id;
  }

  table(id: TableId): Table {
    const table = this.#tables[id];
    if (table === undefined) throw new RangeError("a table that nobody made");
    return table;
  }

  /** Which entries of the list decide one part of the traffic. */
  outcome(list: ListId, ports: PortsId, part: Traffic): Outcome {
    const { says, silent } = this.#walker.walk(list, ports);
    const speaking = says.filter(({ said }) => (said & part) !== noTraffic).map(({ entry }) => entry);
    const actions = new Set(speaking.map(({ action }) => action));
    const verdict = verdictOf(actions, (silent & part) !== noTraffic);
    return { verdict, by: decidingOf(speaking), says: speaking };
  }
}

/** The first that disagree; where none do, the one that does not pass. */
function decidingOf(speaking: readonly Entry[]): readonly Entry[] {
  const tiers = runsOf(speaking, (a, b) => a.tier === b.tier);
  const tie = tiers.find((own) => new Set(own.map(({ action }) => action)).size > 1);
  if (tie !== undefined) return tie;
  const [last] = tiers.at(-1) ?? [];
  return last === undefined || last.action === "pass" ? [] : [last];
}
