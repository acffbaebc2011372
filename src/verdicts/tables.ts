// The verdicts of a list of entries on every line of traffic, made once for each list, and what differs between the tables of
// two worlds. `outcomeOf` follows policy/ties.ts: the first priority of a tier at which a rule matches speaks, each of its
// policies, or turns of policies, by its first match; where they disagree, every verdict that may follow is possible.

import type { IpFamily } from "../model/ip.ts";
import type { DeclaredPorts, PortsId } from "./declared-ports.ts";
import type { Entry } from "./entries.ts";
import { Interner } from "./interner.ts";
import type { ListId, Lists } from "./lists.ts";
import type { Axis, Destination } from "./traffic.ts";
import { rangesOn, startsOf, whole } from "./traffic.ts";

/** `unknown`: both, since policies of equal priority disagree. */
export type ClassVerdict = "allow" | "deny" | "unknown";

export interface Outcome {
  readonly verdict: ClassVerdict;
  /** The deciding entries; several: a tie, whose order is open; none: no entry decides. */
  readonly by: readonly Entry[];
}

/** Verdicts along a line: each from its start to before the next one's. */
export interface IntervalMap {
  readonly starts: readonly number[];
  readonly verdicts: readonly ClassVerdict[];
}

export type Table = Readonly<Record<Axis, IntervalMap>>;

/** The number of a table; equal for lists of equal verdicts. */
export type TableId = number;

/** More than there are lists. */
const stride = 2 ** 32;

export class Tables {
  readonly #lists: Lists;
  readonly #family: IpFamily;
  readonly #declared: DeclaredPorts;
  readonly #ids = new Interner();
  readonly #tables: Table[] = [];
  /** By list; of lists that say no port by name, which are most. */
  readonly #plain: (TableId | undefined)[] = [];
  readonly #named = new Map<number, TableId>();
  #made = 0;

  constructor(lists: Lists, family: IpFamily, declared: DeclaredPorts) {
    this.#lists = lists;
    this.#family = family;
    this.#declared = declared;
  }

  /** How many tables were worked out. */
  get made(): number {
    return this.#made;
  }

  /** Of a list of entries met by connections to pods that declare these ports. */
  of(list: ListId, ports: PortsId): TableId {
    const plain = this.#plain[list];
    if (plain !== undefined) return plain;
    if (!this.#lists.hasNames(list)) return (this.#plain[list] = this.#work(list, 0));
    const key = ports * stride + list;
    const known = this.#named.get(key) ?? this.#work(list, ports);
    this.#named.set(key, known);
    return known;
  }

  #work(list: ListId, ports: PortsId): TableId {
    this.#made++;
    const table = tableOf(this.#lists.entries(list), this.destination(ports));
    const id = this.#ids.of(JSON.stringify(table));
    this.#tables[id] ??= table;
    return id;
  }

  table(id: TableId): Table {
    const table = this.#tables[id];
    if (table === undefined) throw new RangeError("a table that nobody made");
    return table;
  }

  destination(ports: PortsId): Destination {
    return { family: this.#family, declared: this.#declared.at(ports) };
  }
}

function tableOf(entries: readonly Entry[], to: Destination): Table {
  const on = (axis: Axis) => intervalMapOf(axis, entries, to);
  return { tcp: on("tcp"), udp: on("udp"), sctp: on("sctp"), icmp: on("icmp"), other: on("other") };
}

function intervalMapOf(axis: Axis, entries: readonly Entry[], to: Destination): IntervalMap {
  const ranges = new Map(entries.map((entry) => [entry, rangesOn(axis, entry.ports, to)]));
  const starts: number[] = [];
  const verdicts: ClassVerdict[] = [];
  for (const start of startsOf(whole[axis], [...ranges.values()].flat())) {
    const matches = (entry: Entry) =>
      ranges.get(entry)?.some((range) => range[0] <= start && start <= range[1]) === true;
    const { verdict } = outcomeOf(entries, matches);
    if (verdict === verdicts.at(-1)) continue;
    starts.push(start);
    verdicts.push(verdict);
  }
  return { starts, verdicts };
}

/** Who decides at one point of a line. */
export function outcomeAt(entries: readonly Entry[], axis: Axis, point: number, to: Destination): Outcome {
  return outcomeOf(entries, ({ ports }) =>
    rangesOn(axis, ports, to).some(([first, last]) => first <= point && point <= last),
  );
}

function outcomeOf(entries: readonly Entry[], matches: (entry: Entry) => boolean): Outcome {
  const said = new Set<"allow" | "deny">();
  let tie: readonly Entry[] = [];
  for (const own of runsOf(entries, ({ tier }) => tier)) {
    const speakers = speakersIn(own, matches);
    if (tie.length === 0 && new Set(speakers.map(({ action }) => action)).size > 1) tie = speakers;
    for (const { action } of speakers) if (action !== "pass") said.add(action === "allow" ? "allow" : "deny");
    if (speakers.length === 0 || speakers.some(({ action }) => action === "pass")) continue;
    return { verdict: verdictOf(said), by: tie.length > 0 ? tie : speakers.slice(0, 1) };
  }
  said.add("allow");
  return { verdict: verdictOf(said), by: tie };
}

function verdictOf(said: ReadonlySet<"allow" | "deny">): ClassVerdict {
  if (said.size > 1) return "unknown";
  return said.has("allow") ? "allow" : "deny";
}

/** Of a tier's entries those that decide or pass: of the first priority with a match, the first of each policy or turn. */
function speakersIn(tier: readonly Entry[], matches: (entry: Entry) => boolean): readonly Entry[] {
  for (const equals of runsOf(tier, ({ isolates, priority }) => (isolates ? null : priority))) {
    const byTurn = new Map<string, Entry>();
    for (const entry of equals) if (!byTurn.has(entry.turn) && matches(entry)) byTurn.set(entry.turn, entry);
    if (byTurn.size > 0) return [...byTurn.values()];
  }
  return [];
}

/** Neighbours of the same value together. */
function* runsOf<T>(list: readonly T[], by: (one: T) => unknown): Generator<readonly T[], void> {
  let run: T[] = [];
  for (const one of list) {
    const [first] = run;
    if (first !== undefined && by(first) !== by(one)) {
      yield run;
      run = [];
    }
    run.push(one);
  }
  if (run.length > 0) yield run;
}
