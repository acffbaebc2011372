// The lines of traffic cut into the smallest parts that any rule of the policies can distinguish, and sets of such parts as bits
// of one number: what a rule's ports match is one such set, so that "decided before" is arithmetic. A part is a stretch of one
// line with an interval of source ports; each twice where rules ask whether a load balancer led it. Exact: no rule divides a
// part.

import type { NamedPort, Protocol } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { ipFamilies } from "../model/ip.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { Axis, Range } from "./axes.ts";
import {
  axes,
  bordersOf,
  numbersElsewhere,
  rangesOf,
  sourcePorts,
  sourcesOf,
  startsOf,
  whole,
} from "./axes.ts";

/** A set of parts: bit n is part n. */
export type Traffic = bigint;

export const noTraffic: Traffic = 0n;

/** Stretches of a line, from certain source ports. */
export interface Interval {
  readonly axis: Axis;
  /** Ascending, not touching. */
  readonly ranges: readonly Range[];
  /** Absent: from any source port. Ascending, not touching. */
  readonly sources?: readonly Range[];
}

/** One number on a line. */
export interface Point {
  readonly axis: Axis;
  readonly number: number;
  /** null: any. */
  readonly source: number | null;
}

/** The ports that a rule restricts itself to, and whether to connections that a load balancer has led. */
interface Matched {
  readonly ports: readonly PortMatch[] | null;
  readonly translated?: boolean;
}

/** The named container ports of both ends of a connection. */
export interface DeclaredByEnds {
  readonly from: readonly NamedPort[];
  readonly to: readonly NamedPort[];
}

/** A line's parts: a run of bits, stretch by stretch. */
interface Line {
  readonly first: number;
  readonly size: number;
  /** Where its stretches begin, ascending. */
  readonly starts: readonly number[];
  /** Where the intervals of source ports begin, of which each stretch has all. */
  readonly sources: readonly number[];
}

export class TrafficCuts {
  readonly #lines: Readonly<Record<Axis, Line>>;
  /** Of direct connections. After it, where rules distinguish them, the same parts of connections through a load balancer. */
  readonly #width: number;
  readonly #straight: Readonly<Record<IpFamily, Traffic>>;
  readonly #isDivided: boolean;
  /** Of what no pod's declared ports decide. */
  readonly #known = { v4: new Map<PortMatch, Traffic>(), v6: new Map<PortMatch, Traffic>() };

  /**
   * `declared`: the container ports to which names of ports may lead. `isDivided`: rules distinguish whether a connection came
   * through a load balancer.
   */
  constructor(matches: Iterable<PortMatch>, declared: Iterable<NamedPort>, isDivided = false) {
    this.#isDivided = isDivided;
    const cuts = cutsOf([...matches], [...declared]);
    let width = 0;
    const line = (axis: Axis): Line => {
      const { starts, sources } = cuts(axis);
      const made = { starts, sources, first: width, size: starts.length * sources.length };
      width += made.size;
      return made;
    };
    this.#lines = {
      ...{ tcp: line("tcp"), udp: line("udp"), sctp: line("sctp") },
      ...{ icmp: line("icmp"), other: line("other") },
    };
    this.#width = width;
    const straight = (family: IpFamily): Traffic =>
      [...numbersElsewhere(family)].reduce(
        (bits, number) => bits & ~partsOf(this.#lines.other, [number, number]),
        ones(width),
      );
    this.#straight = { v4: straight("v4"), v6: straight("v6") };
  }

  /** How many parts there are. */
  get size(): number {
    return this.#isDivided ? 2 * this.#width : this.#width;
  }

  /** Everything between two ends of the family. */
  all(family: IpFamily): Traffic {
    return this.#anyWay(this.#straight[family]);
  }

  /**
   * Every direct connection. With the numbers of the line `other` that are no traffic, so that what is whole there is one
   * stretch: rules without ports match them.
   */
  get direct(): Traffic {
    return ones(this.#width);
  }

  /** The same, led by a load balancer: where rules do not ask, that is no other traffic. */
  get led(): Traffic {
    return this.#isDivided ? this.#translated(this.direct) : this.direct;
  }

  /** As if each connection were direct. */
  directOf(traffic: Traffic): Traffic {
    return this.#isDivided ? (traffic & this.direct) | (traffic >> BigInt(this.#width)) : traffic;
  }

  /** What the rule matches between ends of the family. */
  of({ ports, translated }: Matched, family: IpFamily, declared: DeclaredByEnds): Traffic {
    const bits =
      ports === null
        ? ones(this.#width)
        : ports.reduce((found, match) => found | this.#ofMatch(match, family, declared), noTraffic);
    return translated === true ? this.#translated(bits) : this.#anyWay(bits);
  }

  /** The parts with traffic of the protocol to the port, whatever else they hold: no rule divides a part. */
  at(protocol: Protocol, port: number): Traffic {
    const line = this.#lines[protocol];
    const at = indexOf(line.starts, port + 1) - 1;
    return this.#anyWay(run(line.first + at * line.sources.length, line.sources.length));
  }

  /** A point of each part of these stretches: no rule tells others of them apart. */
  *pointsIn(intervals: readonly Interval[], family: IpFamily): Generator<Point, void> {
    const elsewhere = numbersElsewhere(family);
    for (const { axis, ranges, sources = [sourcePorts] } of intervals) {
      const { starts, sources: sourceStarts } = this.#lines[axis];
      const froms = cutAt(sources, sourceStarts);
      const numbers = cutAt(ranges, starts).filter((one) => axis !== "other" || !elsewhere.has(one));
      for (const number of numbers) for (const source of froms) yield { axis, number, source };
    }
  }

  /** The part that holds the point, of direct connections. */
  partAt({ axis, number, source }: Point): Traffic {
    const { first, starts, sources } = this.#lines[axis];
    const [at, from] = [indexOf(starts, number + 1), indexOf(sources, (source ?? sourcePorts[0]) + 1)];
    return run(first + (at - 1) * sources.length + from - 1, 1);
  }

  allOf(protocol: Protocol): Traffic {
    const { first, size } = this.#lines[protocol];
    return this.#anyWay(run(first, size));
  }

  /** Direct connections by line, and by source ports where not all of a stretch are in it; in the order of the axes. */
  intervalsOf(traffic: Traffic): readonly Interval[] {
    const digits = traffic.toString(2);
    const isIn = (part: number): boolean => digits[digits.length - 1 - part] === "1";
    return axes.flatMap((axis) => intervalsOn(axis, this.#lines[axis], isIn));
  }

  #translated(bits: Traffic): Traffic {
    return this.#isDivided ? bits << BigInt(this.#width) : noTraffic;
  }

  /** However it reaches its destination. */
  #anyWay(bits: Traffic): Traffic {
    return bits | this.#translated(bits);
  }

  #ofMatch(match: PortMatch, family: IpFamily, { from, to }: DeclaredByEnds): Traffic {
    const known = this.#known[family].get(match);
    if (known !== undefined) return known;
    const sources = sourcesOf(match, from) ?? [sourcePorts];
    let bits = noTraffic;
    for (const axis of axes)
      for (const range of rangesOf(axis, match, { family, declared: to }))
        for (const source of sources) bits |= partsOf(this.#lines[axis], range, source);
    if (!asksNames(match)) this.#known[family].set(match, bits);
    return bits;
  }
}

/** Whether what it matches depends on what pods declare. */
export function asksNames({ kind }: PortMatch): boolean {
  return kind === "named" || kind === "declared";
}

/** Those from any source port first. */
function intervalsOn(axis: Axis, line: Line, isIn: (part: number) => boolean): readonly Interval[] {
  const { first, starts, sources } = line;
  const bySources = new Map<string, Interval & { readonly ranges: Range[] }>();
  for (const [at, start] of starts.entries()) {
    const within = [...sources.keys()].filter((one) => isIn(first + at * sources.length + one));
    if (within.length === 0) continue;
    const key = within.length === sources.length ? "" : within.join();
    const known = bySources.get(key) ?? { axis, ranges: [], ...sourcesText(within, sources) };
    extend(known.ranges, start, (starts[at + 1] ?? whole[axis][1] + 1) - 1);
    bySources.set(key, known);
  }
  return [...bySources].sort(([a], [b]) => Number(a !== "") - Number(b !== "")).map(([, one]) => one);
}

/** Of the intervals of source ports; nothing of all of them. */
function sourcesText(within: readonly number[], starts: readonly number[]): Pick<Interval, "sources"> {
  if (within.length === starts.length) return {};
  const ranges: Range[] = [];
  for (const at of within) extend(ranges, starts[at] ?? 0, (starts[at + 1] ?? sourcePorts[1] + 1) - 1);
  return { sources: ranges };
}

/** Behind the ranges; one that touches the last becomes a part of it. */
function extend(ranges: Range[], first: number, last: number): void {
  const before = ranges.at(-1);
  if (before !== undefined && before[1] + 1 === first) ranges[ranges.length - 1] = [before[0], last];
  else ranges.push([first, last]);
}

/** Equal for equal traffic. */
export function textOf(traffic: Traffic): string {
  return traffic.toString(32);
}

/** Where the ranges of any rule cut a line, between ends of any family. */
function cutsOf(matches: readonly PortMatch[], declared: readonly NamedPort[]) {
  const borders = matches.flatMap((match) => bordersOf(match, declared));
  const restricted = matches.flatMap((match) => sourcesOf(match, declared) ?? []);
  const sources = startsOf(sourcePorts, [...restricted, ...borders]);
  const hasPorts = (axis: Axis): boolean => axis !== "icmp" && axis !== "other";
  return (axis: Axis): Pick<Line, "starts" | "sources"> => {
    const ranges = ipFamilies.flatMap((family) => [
      ...matches.flatMap((match) => rangesOf(axis, match, { family, declared })),
      ...(axis === "other" ? [...numbersElsewhere(family)].map((number): Range => [number, number]) : []),
    ]);
    return {
      starts: startsOf(whole[axis], hasPorts(axis) ? [...ranges, ...borders] : ranges),
      sources: hasPorts(axis) ? sources : startsOf(sourcePorts, []),
    };
  };
}

/** The parts of the line that lie within both ranges: both ends of them were cut. */
function partsOf({ first, starts, sources }: Line, range: Range, within: Range = sourcePorts): Traffic {
  const [from, to] = between(starts, range);
  const [low, high] = between(sources, within);
  if (low === 0 && high === sources.length) return run(first + from * high, (to - from) * high);
  let bits = noTraffic;
  for (let at = from; at < to; at++) bits |= run(first + at * sources.length + low, high - low);
  return bits;
}

/** The first stretch inside, and the first behind; none inside where they are equal. */
function between(starts: readonly number[], [first, last]: Range): readonly [number, number] {
  return first > last ? [0, 0] : [indexOf(starts, first), indexOf(starts, last + 1)];
}

/** How many of the ascending numbers are less. */
function indexOf(starts: readonly number[], value: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function ones(size: number): Traffic {
  return (1n << BigInt(size)) - 1n;
}

/** So many bits from the first. */
function run(first: number, size: number): Traffic {
  return ones(Math.max(0, size)) << BigInt(first);
}

/** Where the parts of the ranges begin. */
function cutAt(ranges: readonly Range[], starts: readonly number[]): readonly number[] {
  return ranges.flatMap(([first, last]) => [
    first,
    ...starts.filter((start) => first < start && start <= last),
  ]);
}
