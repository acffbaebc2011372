// The text of ports that are said by what the pods at both ends declare. What is left out is said by what remains: of a number, the
// addresses at which no pod declares it, as networks. Never a negated comparison.

import { ascending } from "../../../lib/ascending.ts";
import { complementOf } from "../../../contents/complement.ts";
import type { IpAddress, IpFamily } from "../../../model/ip.ts";
import { familyOf, ipFamilies } from "../../../model/ip.ts";
import type { EndPorts, PortRange } from "../../../policy/ir.ts";
import {
  everyPort,
  hasEveryPort,
  isInRange,
  mergedRanges,
  rangesWithout,
} from "../../../policy/ports/port-ranges.ts";
import type { DeclaredPort } from "../unit.ts";
import type { NumberAt } from "./match.ts";
import { conjunction, either, numberElement } from "./match.ts";
import { rangeElement } from "./traffic.ts";

/** A port that a pod declares, at one of its addresses. */
interface Declared {
  readonly ip: IpAddress;
  readonly port: number;
}

/** Where the pods at an end declare ports under any of the names, for the protocol of the rule. */
export type Lookup = (end: "from" | "to", names: readonly string[]) => readonly Declared[];

/** Ports of one end: some by number alone, others at some addresses. */
interface Resolved {
  readonly ranges: readonly PortRange[];
  readonly elsewhere: readonly NumberAt[];
}

/** What follows the test of the protocol; the protocol alone: any port. null: nothing matches. */
export function declaredElement({ protocol, from, to }: DeclaredPort, lookup: Lookup): string | null {
  const terms: string[] = [];
  for (const [end, side, ports] of [
    ["from", "src", from],
    ["to", "dst", to],
  ] as const) {
    const { ranges, elsewhere } = ports === null ? anyPort : resolved(ports, (names) => lookup(end, names));
    if (hasEveryPort(ranges)) continue;
    const elements = [
      ...ranges.map((range) => rangeElement(`${protocol}.${side}`, range)),
      ...elsewhere.map((one) => numberElement(one, protocol, side)),
    ];
    if (elements.length === 0) return null;
    terms.push(either(elements));
  }
  if (terms.length === 0) return protocol;
  return terms.length === 1 ? terms.join("") : `(${conjunction(terms)})`;
}

const anyPort: Resolved = { ranges: [everyPort], elsewhere: [] };

function resolved(
  { except, ...ports }: EndPorts,
  declared: (names: readonly string[]) => readonly Declared[],
): Resolved {
  const unwanted = byNumber(declared(except.names));
  const given = mergedRanges(ports.ranges.filter(({ start, end }) => start <= end));
  const ranges = rangesWithout(given, except.ranges);
  const apart = Array.from(unwanted.keys(), (port) => ({ start: port, end: port }));
  const others = Array.from(unwanted)
    .filter(([port]) => isInRange(port, ranges))
    .flatMap(([port, ips]) => ipFamilies.map((family) => outside(port, family, ips)));
  const named = Array.from(byNumber(declared(ports.names)))
    .filter(([port]) => !isInRange(port, [...ranges, ...except.ranges]))
    .flatMap(([port, ips]) => inside(port, ips.difference(unwanted.get(port) ?? nowhere)));
  return { ranges: rangesWithout(ranges, apart), elsewhere: [...others, ...named] };
}

const nowhere: ReadonlySet<IpAddress> = new Set();

/** Ascending. */
function byNumber(declared: readonly Declared[]): ReadonlyMap<number, ReadonlySet<IpAddress>> {
  const ordered = declared.toSorted((a, b) => a.port - b.port);
  const found = Map.groupBy(ordered, ({ port }) => port);
  return new Map(Array.from(found, ([port, all]) => [port, new Set(all.map(({ ip }) => ip))]));
}

function inside(port: number, ips: ReadonlySet<IpAddress>): readonly NumberAt[] {
  return ipFamilies.flatMap((family) => {
    const at = ascending([...ips].filter((ip) => familyOf(ip) === family));
    return at.length === 0 ? [] : [{ family, port, at }];
  });
}

function outside(port: number, family: IpFamily, ips: ReadonlySet<IpAddress>): NumberAt {
  const own = [...ips].filter((ip) => familyOf(ip) === family);
  return { family, port, at: own.length === 0 ? null : complementOf(family, own) };
}
