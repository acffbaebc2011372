// Which verdicts differ between two worlds, for the connections of one family: looks only at pairs of ends that an entry of one
// world alone can reach, or that a rule of both worlds sees otherwise in one, and joins what differs alike. Invariant: a
// connection whose verdict differs is in exactly one class, and no other connection is in any.

import { append } from "../lib/append.ts";
import type { RawClass } from "./classes.ts";
import { Classes } from "./classes.ts";
import type { Change } from "./questions/difference.ts";
import { Differences } from "./questions/difference.ts";
import { openNamespaces } from "./ends/open-namespaces.ts";
import type { PortsId } from "./ends/declared-ports.ts";
import type { Kind, PodEnd, Role } from "./ends/kinds.ts";
import type { WorkloadEnd } from "./ends/templates.ts";
import type { Frame } from "./frame.ts";
import type { Framed } from "./frames.ts";
import { framesOf } from "./frames.ts";
import type { ListId } from "./lists.ts";
import type { Direction } from "../policy/ir.ts";
import { directions } from "../policy/ir.ts";
import { Tables } from "./tables.ts";
import type { Point, Traffic, TrafficCuts } from "./traffic.ts";
import { noTraffic } from "./traffic.ts";
import type { ClassVerdict } from "./walk.ts";
import { Walker } from "./walker.ts";
import type { Age, Both, PolicyWorld } from "./worlds.ts";
import { ages, both } from "./worlds.ts";

/** What was done; tests count it. */
export interface Work {
  /** Kinds of sources and of destinations. */
  readonly sources: number;
  readonly destinations: number;
  /** Pairs of kinds that were looked at, of all that there are. */
  readonly looked: number;
  readonly possible: number;
  /** Tables of verdicts that were worked out. */
  readonly tables: number;
}

/** The list of entries that a pair of ends meets on each side. */
export type MatchedLists = Readonly<Record<Direction, ListId>>;

/** A connection's kinds and its ends; null: an address. */
export interface Sample {
  readonly from: Kind;
  readonly to: Kind;
  readonly source: SampleEnd;
  readonly target: SampleEnd;
}

export type SampleEnd = PodEnd | WorkloadEnd | null;

/** The work is done source by source; called regularly. */
export type Progress = (done: number, all: number) => void;

/** One for each family, of direct connections. */
export function comparisonsOf(worlds: Both<PolicyWorld>): readonly Comparison[] {
  const { frames, cuts } = framesOf(worlds, { open: openNamespaces(worlds), isWhole: false });
  return Object.values(frames).map((framed) => new Comparison(framed, cuts));
}

export class Comparison {
  readonly frame: Frame;
  readonly kinds: Readonly<Record<Role, readonly Kind[]>>;
  readonly cuts: TrafficCuts;
  readonly tables: Tables;
  readonly #differences: Differences;
  /** Destinations that any source may have to look at. */
  readonly #touched: readonly number[];
  readonly #all: readonly number[];
  #looked = 0;

  constructor({ frame, kinds }: Framed, cuts: TrafficCuts) {
    this.frame = frame;
    this.kinds = kinds;
    this.cuts = cuts;
    this.tables = new Tables(new Walker(frame, cuts, cuts.direct));
    this.#differences = new Differences(this.tables, cuts);
    this.#all = [...this.kinds.to.keys()];
    this.#touched = this.#all.filter((at) => {
      const kind = this.kinds.to[at];
      return (
        kind !== undefined &&
        (kind.differs ||
          kind.workloads.length > 0 ||
          ages.some((age) => this.#marks("ingress", age, kind) !== null))
      );
    });
  }

  get work(): Work {
    return {
      ...{ sources: this.kinds.from.length, destinations: this.kinds.to.length },
      ...{ looked: this.#looked, possible: this.kinds.from.length * this.kinds.to.length },
      tables: this.tables.made,
    };
  }

  run(progress: Progress = () => undefined): readonly RawClass[] {
    const classes = new Classes();
    for (const [at, from] of this.kinds.from.entries()) {
      progress(at, this.kinds.from.length);
      for (const [change, to] of this.#changesFrom(from)) classes.add(change, at, to);
    }
    return classes.list().filter((one) => this.sample(one) !== null);
  }

  /** The first ends of the class that a connection can have; null: only a pod with itself. */
  sample({ from, to }: RawClass): Sample | null {
    for (const source of from.flatMap((at) => this.kinds.from[at] ?? [])) {
      for (const target of to.flatMap((at) => this.kinds.to[at] ?? [])) {
        const pair = pairOf(source, target);
        if (pair !== null) return { from: source, to: target, ...pair };
      }
    }
    return null;
  }

  /** Of the pairs of kinds between which the class has connections, up to `limit` at even distances. */
  *samples({ from, to }: RawClass, limit: number): Generator<Sample, void> {
    const total = from.length * to.length;
    // Odd, so that it seldom divides the number of destinations.
    const step = total <= limit ? 1 : 2 * Math.ceil(total / limit / 2) + 1;
    for (let at = 0; at < total; at += step) {
      const source = this.kinds.from[from[Math.floor(at / to.length)] ?? -1];
      const target = this.kinds.to[to[at % to.length] ?? -1];
      const pair = source === undefined || target === undefined ? null : pairOf(source, target);
      if (source !== undefined && target !== undefined && pair !== null)
        yield { from: source, to: target, ...pair };
    }
  }

  /** The verdict on a new connection between two kinds, wherever pods of workloads may be; unknown where it is another elsewhere. */
  verdictAt(age: Age, from: Kind, to: Kind, point: Point): ClassVerdict {
    const ports = this.frame.declared.both(from.ports[age], to.ports[age]);
    const part = this.cuts.partAt(point);
    const verdicts = new Set(
      this.metAnywhere(age, from, to).map((met) => this.#verdictWhere(met, ports, part)),
    );
    const [verdict, ...others] = verdicts;
    return verdict === undefined || others.length > 0 ? "unknown" : verdict;
  }

  #verdictWhere(met: MatchedLists, ports: PortsId, part: Traffic): ClassVerdict {
    const sides = directions.map((direction) => this.tables.table(this.tables.of(met[direction], ports)));
    const denies = sides.filter(({ deny }) => (deny & part) !== noTraffic);
    if (denies.some(({ allow }) => (allow & part) === noTraffic)) return "deny";
    return denies.length > 0 ? "unknown" : "allow";
  }

  met(age: Age, from: Kind, to: Kind): MatchedLists {
    const { egress, ingress } = this.frame.sides;
    return {
      egress: egress[age].listsOf(from.rows[age])[to.columns[age]] ?? 0,
      ingress: ingress[age].listsOf(to.rows[age])[from.columns[age]] ?? 0,
    };
  }

  /** The lists that are met wherever the two ends may be, each pair of lists once. */
  metAnywhere(age: Age, from: Kind, to: Kind): readonly MatchedLists[] {
    const found = new Map<string, MatchedLists>();
    const lists = (direction: Direction, row: number, columns: readonly number[]): readonly ListId[] => {
      const met = this.frame.sides[direction][age].listsOf(row);
      return [...new Set(columns.map((column) => met[column] ?? 0))];
    };
    const pairs = from.places[age].flatMap((one) => to.places[age].map((other) => ({ one, other })));
    for (const { one, other } of pairs) {
      const egress = one.rows.flatMap((row) => lists("egress", row, other.columns));
      const ingress = other.rows.flatMap((row) => lists("ingress", row, one.columns));
      const met = egress.flatMap((out) => ingress.map((into) => ({ egress: out, ingress: into })));
      for (const both of met) found.set(`${both.egress} ${both.ingress}`, both);
    }
    return [...found.values()];
  }

  #changesFrom(from: Kind): ReadonlyMap<Change, number[]> {
    const found = new Map<Change, number[]>();
    for (const at of this.#targetsOf(from)) {
      const to = this.kinds.to[at];
      if (to === undefined || !isMeant(from, to)) continue;
      this.#looked++;
      for (const change of this.#changesOf(from, to)) append(found, change, at);
    }
    return found;
  }

  #changesOf(from: Kind, to: Kind): readonly Change[] {
    if (from.workloads.length > 0 || to.workloads.length > 0) return this.#changesAnywhere(from, to);
    const met = both((age) => this.met(age, from, to));
    const isSameList = met.old.egress === met.new.egress && met.old.ingress === met.new.ingress;
    const ports = both((age) => this.frame.declared.both(from.ports[age], to.ports[age]));
    if (isSameList && ports.old === ports.new) return [];
    const tables = both((age) => ({
      egress: this.tables.of(met[age].egress, ports[age]),
      ingress: this.tables.of(met[age].ingress, ports[age]),
    }));
    return this.#differences.between(tables.old, tables.new);
  }

  #changesAnywhere(from: Kind, to: Kind): readonly Change[] {
    const tables = both((age) => {
      const ports = this.frame.declared.both(from.ports[age], to.ports[age]);
      const met = this.metAnywhere(age, from, to).map(({ egress, ingress }) => ({
        egress: this.tables.of(egress, ports),
        ingress: this.tables.of(ingress, ports),
      }));
      return [...new Map(met.map((one) => [`${one.egress} ${one.ingress}`, one])).values()];
    });
    return this.#differences.betweenAny(tables.old, tables.new);
  }

  /** Destinations, ascending. */
  #targetsOf(from: Kind): readonly number[] {
    // Of a workload every place counts.
    if (from.differs || from.workloads.length > 0) return this.#all;
    const egress = both((age) => this.#marks("egress", age, from));
    const isReached = egress.old !== null || egress.new !== null;
    return (isReached ? this.#all : this.#touched).filter((at) => {
      const to = this.kinds.to[at];
      if (to === undefined) return false;
      if (to.differs || to.workloads.length > 0) return true;
      return ages.some(
        (age) =>
          egress[age]?.[to.columns[age]] === 1 || this.#marks("ingress", age, to)?.[from.columns[age]] === 1,
      );
    });
  }

  #marks(direction: Direction, age: Age, { rows }: Kind): Uint8Array | null {
    return this.frame.sides[direction][age].marksOf(rows[age]);
  }
}

/** Two addresses are never meant. */
function isMeant(from: Kind, to: Kind): boolean {
  return [from, to].some(({ pods, workloads }) => pods.length + workloads.length > 0);
}

function pairOf(from: Kind, to: Kind): Pick<Sample, "source" | "target"> | null {
  const [source, target] = [firstOf(from), firstOf(to)];
  // Two pods of a workload are two.
  if (source === null || source.key !== target?.key || !("end" in source)) return { source, target };
  const [otherTarget, otherSource] = [to.pods[1], from.pods[1]];
  if (otherTarget !== undefined) return { source, target: otherTarget };
  return otherSource === undefined ? null : { source: otherSource, target };
}

function firstOf({ pods, workloads }: Kind): SampleEnd {
  return pods[0] ?? workloads[0] ?? null;
}
