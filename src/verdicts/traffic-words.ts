// Traffic as people and programs read it: by protocol, with ranges of ports; "tcp 80,443; udp".

import type { Range } from "./axes.ts";
import type { IpFamily } from "../model/ip.ts";
import { axes, icmpOf, isElsewhere, whole } from "./axes.ts";
import type { Interval } from "./traffic.ts";

/** `ports`: of tcp, udp and sctp; the others are whole where nothing is said of them. */
export interface Traffic {
  readonly protocol: string;
  readonly ports?: readonly Range[];
  /** Of icmp: 256 × type + code. */
  readonly types?: readonly Range[];
  /** Of other: IP protocol numbers, but for those that have a name here. */
  readonly numbers?: readonly Range[];
  /** Of tcp, udp and sctp, the source ports; absent: any. */
  readonly sourcePorts?: readonly Range[];
}

/** Of connections of these families: numbers of other protocols that are no such traffic there say nothing. */
export function trafficsOf(
  intervals: readonly Interval[],
  families: readonly IpFamily[],
): readonly Traffic[] {
  const isNamed = (number: number): boolean => families.every((family) => isElsewhere(number, family));
  return intervals.flatMap((one): readonly Traffic[] => {
    if (one.axis !== "other") return [trafficOf(one)];
    const others = numbers.filter((number) => !isNamed(number));
    const isIn = (number: number): boolean =>
      one.ranges.some(([first, last]) => first <= number && number <= last);
    if (others.every(isIn)) return [{ protocol: "other" }];
    return others.some(isIn) ? [trafficOf(one)] : [];
  });
}

const numbers = Array.from({ length: whole.other[1] + 1 }, (_, number) => number);

function trafficOf({ axis, ranges, sources }: Interval): Traffic {
  if (axis === "other" || axis === "icmp") {
    const isWhole = ranges.length === 1 && ranges[0]?.join() === whole[axis].join();
    if (isWhole) return { protocol: axis };
    return axis === "icmp" ? { protocol: axis, types: ranges } : { protocol: axis, numbers: ranges };
  }
  return { protocol: axis, ports: ranges, ...(sources === undefined ? {} : { sourcePorts: sources }) };
}

/** "tcp 80,443; udp", "all traffic", "all traffic but tcp 5432". */
export function trafficText(traffic: readonly Traffic[]): string {
  const texts = traffic.map(oneText);
  const left = leftOf(traffic);
  if (left === null || left.length >= texts.length) return texts.join("; ");
  return left.length === 0 ? "all traffic" : `all traffic but ${left.map(oneText).join("; ")}`;
}

/** What is missing of all traffic; null: it is told apart by more than destination ports. */
function leftOf(traffic: readonly Traffic[]): readonly Traffic[] | null {
  const isPlain = traffic.every(({ sourcePorts, types, numbers }) => !(sourcePorts ?? types ?? numbers));
  if (!isPlain) return null;
  return axes.flatMap((protocol): readonly Traffic[] => {
    const own = traffic.filter((one) => one.protocol === protocol);
    if (own.length === 0) return [{ protocol }];
    const [first, last] = whole[protocol];
    const starts = [
      first,
      ...own.flatMap(({ ports = [whole[protocol]] }) => ports.map(([, end]) => end + 1)),
    ];
    const ends = [...own.flatMap(({ ports = [whole[protocol]] }) => ports.map(([start]) => start - 1)), last];
    const gaps = starts.flatMap((start, at) => {
      const end = ends[at] ?? last;
      return start <= end ? [[start, end] as const] : [];
    });
    return gaps.length === 0 ? [] : [{ protocol, ports: gaps }];
  });
}

function oneText(traffic: Traffic): string {
  const { sourcePorts } = traffic;
  return sourcePorts === undefined
    ? destinationText(traffic)
    : `${destinationText(traffic)} from port ${rangesText(sourcePorts)}`;
}

function destinationText({ protocol, ports, types, numbers }: Traffic): string {
  if (types !== undefined) return `icmp ${types.map(([first, last]) => icmpText(first, last)).join(", ")}`;
  if (protocol === "other") return `other protocols${numbers === undefined ? "" : ` ${rangesText(numbers)}`}`;
  if (ports === undefined || ports.join() === whole.tcp.join()) return protocol;
  return `${protocol} ${rangesText(ports)}`;
}

function rangesText(ranges: readonly (readonly [number, number])[]): string {
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function icmpText(first: number, last: number): string {
  const [from, to] = [icmpOf(first), icmpOf(last)];
  if (from.type === to.type && from.code === 0 && to.code === 255) return `type ${from.type}`;
  if (first === last) return `type ${from.type} code ${from.code}`;
  return `type ${from.type} code ${from.code} to type ${to.type} code ${to.code}`;
}
