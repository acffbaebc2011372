// What a connection can carry, as five lines of numbers: ports of TCP, UDP and SCTP, types and codes of ICMP, and the other
// protocols by number. A rule's ports are ranges on these lines, and so is a difference.

import { unreachable } from "../lib/invariant.ts";
import type { NamedPort, Protocol } from "../model/facts.ts";
import type { IpFamily } from "../model/ip.ts";
import { icmpNumbers, protocolNumbers } from "../model/protocols.ts";
import type { EndPorts, PortList, PortMatch } from "../policy/ir.ts";
import { rangesWithout } from "../policy/ports/port-ranges.ts";

/** ICMP's numbers are 256 × type + code; `other` has IANA's protocol numbers. */
export type Axis = Protocol | "icmp" | "other";
export const axes: readonly Axis[] = ["tcp", "udp", "sctp", "icmp", "other"];

/** From the first to the last, both within. */
export type Range = readonly [first: number, last: number];

export const whole: Readonly<Record<Axis, Range>> = {
  tcp: [1, 65_535],
  udp: [1, 65_535],
  sctp: [1, 65_535],
  icmp: [0, 65_535],
  other: [0, 255],
};

/** Source ports, as numbers on a line. */
export const sourcePorts: Range = whole.tcp;

const codes = 256;
const elsewhere: Readonly<Record<IpFamily, ReadonlySet<number>>> = {
  v4: new Set([...Object.values(protocolNumbers), icmpNumbers.v4]),
  v6: new Set([...Object.values(protocolNumbers), icmpNumbers.v6]),
};

/** Numbers on the line `other` that are no traffic, since another line has it. */
export function numbersElsewhere(family: IpFamily): ReadonlySet<number> {
  return elsewhere[family];
}

export function isElsewhere(number: number, family: IpFamily): boolean {
  return elsewhere[family].has(number);
}

export function icmpOf(number: number): { readonly type: number; readonly code: number } {
  return { type: Math.floor(number / codes), code: number % codes };
}

/** The destination, as far as ports of names lead to it. */
export interface Destination {
  readonly family: IpFamily;
  /** What its pod declares; nothing where names find no pod. */
  readonly declared: readonly NamedPort[];
}

/** The source ports that it restricts itself to; null: none. `declared`: what the pod there declares. */
export function sourcesOf(port: PortMatch, declared: readonly NamedPort[]): readonly Range[] | null {
  if (port.kind === "declared") return port.from && declaredOn(port.protocol, port.from, declared);
  const range = "source" in port ? port.source : undefined;
  return range === undefined ? null : within(sourcePorts, range.start, range.end);
}

/** Everything at which what it matches may begin or end, whatever the pods at both ends declare of this. */
export function bordersOf(port: PortMatch, declared: readonly NamedPort[]): readonly Range[] {
  if (port.kind !== "declared") return [];
  const lists = [port.from, port.to].flatMap((ports) => (ports === null ? [] : [ports, ports.except]));
  return lists
    .flatMap((list) => numbersIn(port.protocol, list, declared))
    .map(({ start, end }) => [start, end]);
}

/** Where on the line it matches from a source port that it allows. */
export function rangesOf(axis: Axis, port: PortMatch, to: Destination): readonly Range[] {
  switch (port.kind) {
    case "port":
      return port.protocol === axis ? [[port.port, port.port]] : [];
    case "range":
      return port.protocol === axis ? within(whole[axis], port.start, port.end) : [];
    case "named":
      return namedOn(axis, port, to);
    case "declared":
      if (port.protocol !== axis) return [];
      return port.to === null ? [whole[axis]] : declaredOn(axis, port.to, to.declared);
    case "protocol":
      return protocolOn(axis, port.number, to.family);
    case "protocols":
      return port.numbers.flatMap((number) => protocolOn(axis, number, to.family));
    case "icmp":
    case "otherIcmp":
      return axis === "icmp" ? icmpOn(port, to.family) : [];
    default:
      return unreachable(port);
  }
}

/** Where the stretches begin that the ranges cut a line into, ascending. */
export function startsOf([first, last]: Range, ranges: Iterable<Range>): readonly number[] {
  const starts = new Set([first]);
  for (const [start, end] of ranges)
    for (const cut of [start, end + 1]) if (first < cut && cut <= last) starts.add(cut);
  return [...starts].sort((a, b) => a - b);
}

function within(line: Range, start: number, end: number): readonly Range[] {
  const [first, last] = [Math.max(start, line[0]), Math.min(end, line[1])];
  return first <= last ? [[first, last]] : [];
}

function namedOn(
  axis: Axis,
  { name, protocol }: Extract<PortMatch, { kind: "named" }>,
  { declared }: Destination,
): readonly Range[] {
  if ((protocol ?? axis) !== axis) return [];
  return declared.filter((one) => one.name === name && one.protocol === axis).map(({ port }) => [port, port]);
}

function declaredOn(protocol: Protocol, ports: EndPorts, declared: readonly NamedPort[]): readonly Range[] {
  const numbers = (list: PortList) => numbersIn(protocol, list, declared);
  return rangesWithout(numbers(ports), numbers(ports.except)).flatMap(({ start, end }) =>
    within(whole[protocol], start, end),
  );
}

function numbersIn(protocol: Protocol, { ranges, names }: PortList, declared: readonly NamedPort[]) {
  const meant = declared.filter((one) => one.protocol === protocol && names.includes(one.name));
  return [...ranges, ...meant.map(({ port }) => ({ start: port, end: port }))];
}

function protocolOn(axis: Axis, number: number, family: IpFamily): readonly Range[] {
  if (axis === "other") return isElsewhere(number, family) ? [] : [[number, number]];
  const own = axis === "icmp" ? icmpNumbers[family] : protocolNumbers[axis];
  return own === number ? [whole[axis]] : [];
}

function icmpOn(
  port: Extract<PortMatch, { kind: "icmp" | "otherIcmp" }>,
  family: IpFamily,
): readonly Range[] {
  if ((port.family ?? family) !== family) return [];
  return port.kind === "icmp" ? icmpRanges(port) : otherIcmpRanges(port);
}

function icmpRanges({ type, code }: Extract<PortMatch, { kind: "icmp" }>): readonly Range[] {
  if (type === null && code === null) return [whole.icmp];
  if (type === null) return Array.from({ length: codes }, (_, at) => point(at, code ?? 0));
  return code === null ? [[type * codes, type * codes + codes - 1]] : [point(type, code)];
}

/** Before and behind what it leaves out. */
function otherIcmpRanges({ type, code }: Extract<PortMatch, { kind: "otherIcmp" }>): readonly Range[] {
  const [first, last] = code === null ? [type * codes, type * codes + codes - 1] : point(type, code);
  const ranges: readonly Range[] = [
    [whole.icmp[0], first - 1],
    [last + 1, whole.icmp[1]],
  ];
  return ranges.filter(([start, end]) => start <= end);
}

function point(type: number, code: number): Range {
  return [type * codes + code, type * codes + code];
}
