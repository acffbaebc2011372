// Traffic cut into the smallest parts that any rule of the policies can tell apart, and sets of such parts as bits of one
// number: what a rule's ports match is one such set, so that "decided before" is arithmetic. A part is an interval of
// destination ports with one of source ports, an ICMP type with a code, or another IP protocol; each twice where rules ask whether a
// load balancer led it. Exact: no rule divides a part.

import { unreachable } from "../../lib/invariant.ts";
import type { NamedPort, Protocol } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../../model/protocols.ts";
import type { PortMatch, PortRange, Rule } from "../../policy/ir.ts";

/** A set of parts: bit n is part n. */
export type Traffic = bigint;

export const noTraffic: Traffic = 0n;

const protocols: readonly Protocol[] = ["tcp", "udp", "sctp"];
const lastPort = 65535;
/** How many values the type and the code of an ICMP message, or the number of an IP protocol, have. */
const bytes = 256;

/** A run of bits. */
interface Block {
  readonly first: number;
  readonly size: number;
}

interface L4 extends Block {
  /** Where intervals of destination ports begin, ascending, from 1. */
  readonly ports: readonly number[];
  readonly sources: readonly number[];
}

export class TrafficCuts {
  readonly #l4: Readonly<Record<Protocol, L4>>;
  /** The values that rules name; the last bit of a row is every other one, where there is one. */
  readonly #types: readonly number[];
  readonly #codes: readonly number[];
  readonly #icmp: Block;
  /** Numbers of IP protocols that rules name, those with ports excepted, with their bits. */
  readonly #numbers: ReadonlyMap<number, number>;
  /** The bits of all parts but those of the two numbers of ICMP. */
  readonly #common: Traffic;
  /** Of what goes straight to its destination. Behind it, where rules tell it apart, the same parts of what a load balancer leads. */
  readonly #width: number;
  readonly #isDivided: boolean;

  /**
   * `declared`: the container ports to which names of ports may lead. `isDivided`: rules tell apart whether a connection came
   * through a load balancer.
   */
  constructor(matches: Iterable<PortMatch>, declared: Iterable<NamedPort>, isDivided = false) {
    this.#isDivided = isDivided;
    const all = [...matches];
    const named = [...declared];
    let width = 0;
    const block = (size: number): Block => {
      const first = width;
      width += size;
      return { first, size };
    };
    const l4 = (protocol: Protocol): L4 => {
      const ports = startsOf(all.flatMap((match) => destinations(match, protocol, named)));
      const sources = startsOf(all.flatMap((match) => ("source" in match ? [match.source] : [])));
      return { ports, sources, ...block(ports.length * sources.length) };
    };
    this.#l4 = { tcp: l4("tcp"), udp: l4("udp"), sctp: l4("sctp") };
    const icmps = all.filter((match) => match.kind === "icmp");
    this.#types = distinct(icmps.flatMap(({ type }) => type ?? []));
    this.#codes = distinct(icmps.flatMap(({ code }) => code ?? []));
    this.#icmp = block(rowLength(this.#types) * rowLength(this.#codes));
    const withPorts = new Set(Object.values(protocolNumbers));
    const numbers = all.flatMap((match) => (match.kind === "protocol" ? [match.number] : []));
    const others = distinct([...Object.values(icmpNumbers), ...numbers]).filter((n) => !withPorts.has(n));
    this.#numbers = new Map(others.map((number) => [number, block(1).first]));
    // Every protocol that nobody names is one part.
    if (others.length + withPorts.size < bytes) block(1);
    this.#width = width;
    this.#common = Object.values(icmpNumbers).reduce(
      (bits, number) => bits & ~this.#number(number),
      ones(width),
    );
  }

  /** How many parts there are. */
  get size(): number {
    return this.#isDivided ? 2 * this.#width : this.#width;
  }

  /** Everything between two ends of the family. */
  all(family: IpFamily): Traffic {
    return this.#anyWay(this.#straight(family));
  }

  /** What the rule matches between ends of the family; `declared`: the named container ports of the destination. */
  of(
    { ports, translated }: Pick<Rule, "ports" | "translated">,
    family: IpFamily,
    declared: readonly NamedPort[],
  ): Traffic {
    const bits =
      ports === null
        ? this.#straight(family)
        : ports.reduce((found, match) => found | this.#ofMatch(match, family, declared), noTraffic);
    return translated === true ? this.#translated(bits) : this.#anyWay(bits);
  }

  /** The parts with traffic of the protocol to the port, whatever else they hold: no rule divides a part. */
  at(protocol: Protocol, port: number): Traffic {
    const { first, ports, sources } = this.#l4[protocol];
    const at = indexOf(ports, port + 1) - 1;
    return this.#anyWay(onesOf({ first: first + at * sources.length, size: sources.length }));
  }

  allOf(protocol: Protocol): Traffic {
    return this.#anyWay(onesOf(this.#l4[protocol]));
  }

  #straight(family: IpFamily): Traffic {
    return this.#common | this.#number(icmpNumbers[family === "v4" ? "v6" : "v4"]);
  }

  #translated(bits: Traffic): Traffic {
    return this.#isDivided ? bits << BigInt(this.#width) : noTraffic;
  }

  /** However it comes to its destination. */
  #anyWay(bits: Traffic): Traffic {
    return bits | this.#translated(bits);
  }

  #ofMatch(match: PortMatch, family: IpFamily, declared: readonly NamedPort[]): Traffic {
    switch (match.kind) {
      case "port":
        return this.#interval(match.protocol, match.port, match.port, match.source);
      case "range":
        return this.#interval(match.protocol, match.start, match.end, match.source);
      case "named":
        return declared
          .filter(({ name, protocol }) => name === match.name && (match.protocol ?? protocol) === protocol)
          .reduce(
            (bits, { protocol, port }) => bits | this.#interval(protocol, port, port, match.source),
            noTraffic,
          );
      case "protocol":
        return this.#ofNumber(match.number, family);
      case "icmp":
        return (match.family ?? family) === family ? this.#ofIcmp(match.type, match.code) : noTraffic;
      default:
        return unreachable(match);
    }
  }

  #ofNumber(number: number, family: IpFamily): Traffic {
    const protocol = protocols.find((one) => protocolNumbers[one] === number);
    if (protocol !== undefined) return onesOf(this.#l4[protocol]);
    return number === icmpNumbers[family] ? onesOf(this.#icmp) : this.#number(number);
  }

  #number(number: number): Traffic {
    const bit = this.#numbers.get(number);
    return bit === undefined ? noTraffic : 1n << BigInt(bit);
  }

  #ofIcmp(type: number | null, code: number | null): Traffic {
    const [types, codes] = [rowLength(this.#types), rowLength(this.#codes)];
    let bits = noTraffic;
    for (let t = 0; t < types; t++)
      for (let c = 0; c < codes; c++)
        if ((type === null || this.#types[t] === type) && (code === null || this.#codes[c] === code))
          bits |= 1n << BigInt(this.#icmp.first + t * codes + c);
    return bits;
  }

  /** The intervals that lie between two ports: both ends of them were cut. */
  #interval(protocol: Protocol, start: number, end: number, source?: PortRange): Traffic {
    const { first, ports, sources } = this.#l4[protocol];
    const [from, to] = between(ports, start, end);
    if (source === undefined)
      return onesOf({ first: first + from * sources.length, size: (to - from) * sources.length });
    const [low, high] = between(sources, source.start, source.end);
    let bits = noTraffic;
    for (let at = from; at < to; at++)
      bits |= onesOf({ first: first + at * sources.length + low, size: high - low });
    return bits;
  }
}

function destinations(
  match: PortMatch,
  protocol: Protocol,
  declared: readonly NamedPort[],
): readonly PortRange[] {
  switch (match.kind) {
    case "port":
      return match.protocol === protocol ? [{ start: match.port, end: match.port }] : [];
    case "range":
      return match.protocol === protocol ? [match] : [];
    case "named":
      return declared
        .filter((one) => one.name === match.name && one.protocol === protocol)
        .map(({ port }) => ({ start: port, end: port }));
    case "protocol":
    case "icmp":
      return [];
    default:
      return unreachable(match);
  }
}

/** Where the intervals begin that ranges cut the ports into. */
function startsOf(ranges: readonly PortRange[]): readonly number[] {
  const cuts = ranges.filter(({ start, end }) => start <= end).flatMap(({ start, end }) => [start, end + 1]);
  return distinct([1, ...cuts.filter((cut) => cut > 1 && cut <= lastPort)]);
}

/** The first interval inside, and the first behind; none inside where they are equal. */
function between(starts: readonly number[], start: number, end: number): readonly [number, number] {
  if (start > end) return [0, 0];
  return [indexOf(starts, start), indexOf(starts, end + 1)];
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

function rowLength(named: readonly number[]): number {
  return named.length + (named.length < bytes ? 1 : 0);
}

function distinct(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function ones(size: number): Traffic {
  return (1n << BigInt(size)) - 1n;
}

function onesOf({ first, size }: Block): Traffic {
  return ones(Math.max(0, size)) << BigInt(first);
}
