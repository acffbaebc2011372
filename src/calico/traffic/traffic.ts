// All that a rule says of its traffic → one list of alternatives. The numbers that ports and notPorts leave are ranges; names are of
// ports that the endpoint at that end declares (Calico's felix/calc, named ports of IP sets).

import type { Protocol } from "../../model/facts.ts";
import type { IpFamily } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import type { EndPorts, PortList, PortMatch, PortRange, SourceRange } from "../../policy/ir.ts";
import { everyPort, rangesWithout } from "../../policy/ports/port-ranges.ts";
import type { Reading } from "../reading.ts";
import { readIcmp } from "./icmp.ts";
import { readPorts } from "./ports.ts";
import type { Protocols } from "./protocols.ts";
import { everyProtocol, readIpVersion, readProtocols, transportOf, transports } from "./protocols.ts";

export interface Traffic {
  /** As in a Rule; an empty list matches nothing. */
  readonly ports: readonly PortMatch[] | null;
  /** That of `ipVersion`; null: any. */
  readonly family: IpFamily | null;
}

/** The ports of one side. */
interface SidePorts {
  readonly ports: PortList;
  readonly notPorts: PortList;
}

/** null: an error was reported. */
export function readTraffic(rule: Field, reading: Reading): Traffic | null {
  const protocols = readProtocols(rule);
  const only = protocols?.only ?? null;
  const transport = transportOf(only);
  // Of a protocol that is a mistake nothing is known.
  const hasNumbers = protocols === null || transport !== null;
  const [source, destination] = [
    readSide(rule.at("source"), hasNumbers),
    readSide(rule.at("destination"), hasNumbers),
  ];
  const icmp = readIcmp(rule, only, reading);
  const family = readIpVersion(rule);
  if (protocols === null || source === null || destination === null) return null;
  if (icmp === undefined || family === undefined) return null;
  if (!refuseNames(rule, only, transport, [source, destination])) return null;
  const asksPods = leavesOut(source, destination);
  const matches = asksPods ? declaredOf : matchesOf;
  return { ports: icmp ?? matches(protocols, transport, source, destination), family };
}

function readSide(side: Field, hasNumbers: boolean): SidePorts | null {
  const ports = readPorts(side.at("ports"), hasNumbers);
  const notPorts = readPorts(side.at("notPorts"), hasNumbers);
  return ports && notPorts && { ports, notPorts };
}

/** A protocol without ports has no names of ports either. */
function refuseNames(
  rule: Field,
  only: number | null,
  transport: Protocol | null,
  sides: readonly SidePorts[],
): boolean {
  const named = sides.some(({ ports, notPorts }) => ports.names.length + notPorts.names.length > 0);
  if (!named || only === null || transport !== null) return true;
  rule.at("protocol").error("must be TCP, UDP or SCTP in a rule with ports");
  return false;
}

/** Whether names are said of more than ports of the destination, or less than all ports of a name are meant. */
function leavesOut(source: SidePorts, destination: SidePorts): boolean {
  const { ports, notPorts } = destination;
  const names = [source.ports, source.notPorts, notPorts].flatMap((list) => list.names);
  return names.length > 0 || (ports.names.length > 0 && notPorts.ranges.length > 0);
}

/** For each protocol that has ports; where names are only left out, the other protocols have none that could be. */
function declaredOf(
  { numbers }: Protocols,
  transport: Protocol | null,
  source: SidePorts,
  destination: SidePorts,
): readonly PortMatch[] {
  const [from, to] = [endOf(source), endOf(destination)];
  const given = numbers ?? everyProtocol;
  const ofTransports = [...transports].filter(([number]) => given.includes(number));
  const declared = ofTransports.map(([, protocol]): PortMatch => ({ kind: "declared", protocol, from, to }));
  const isAny = [source, destination].every(({ ports }) => ports.names.length + ports.ranges.length === 0);
  if (!isAny || transport !== null) return declared;
  const others = given.filter((number) => !transports.has(number));
  return others.length === 0 ? declared : [...declared, ofNumbers(others)];
}

/** null: any port. */
function endOf({ ports, notPorts }: SidePorts): EndPorts | null {
  const isAny = ports.ranges.length + ports.names.length === 0;
  if (isAny && notPorts.ranges.length + notPorts.names.length === 0) return null;
  return { ranges: isAny ? [everyPort] : ports.ranges, names: ports.names, except: notPorts };
}

function matchesOf(
  { numbers }: Protocols,
  transport: Protocol | null,
  source: SidePorts,
  destination: SidePorts,
): readonly PortMatch[] | null {
  if (numbers?.length === 0) return [];
  const { names } = destination.ports;
  if (transport === null && names.length > 0) return names.flatMap((name) => namedOf(name, numbers));
  if (transport === null) return numbers === null ? null : [ofNumbers(numbers)];
  const [from, to] = [sourcesOf(source), rangesOf(destination)];
  if (from === null && to === null && names.length === 0) return [ofNumbers(numbers ?? [])];
  const sources = from === null ? [{}] : from.map((range) => ({ source: range }));
  const ranges = to ?? (names.length > 0 ? [] : [everyPort]);
  return sources.flatMap((one) => [
    ...ranges.map((range) => ofRange(transport, range, one)),
    ...names.map((name): PortMatch => ({ kind: "named", name, protocol: transport, ...one })),
  ]);
}

function namedOf(name: string, numbers: readonly number[] | null): readonly PortMatch[] {
  if (numbers === null) return [{ kind: "named", name }];
  return numbers.flatMap((number) => {
    const protocol = transportOf(number);
    return protocol === null ? [] : [{ kind: "named", name, protocol }];
  });
}

function ofNumbers(numbers: readonly number[]): PortMatch {
  const [first] = numbers;
  if (first !== undefined && numbers.length === 1) return { kind: "protocol", number: first };
  return { kind: "protocols", numbers };
}

function ofRange(protocol: Protocol, { start, end }: PortRange, source: { source?: SourceRange }): PortMatch {
  if (start === end) return { kind: "port", protocol, port: start, ...source };
  return { kind: "range", protocol, start, end, ...source };
}

/** As `rangesOf`. */
function sourcesOf(side: SidePorts): readonly SourceRange[] | null {
  const ranges = rangesOf(side);
  if (ranges === null || side.ports.ranges.length > 0) return ranges;
  return ranges.map((range): SourceRange => ({ ...range, isRest: true }));
}

/** null: any port, or names alone. */
function rangesOf({ ports, notPorts }: SidePorts): readonly PortRange[] | null {
  if (notPorts.ranges.length === 0) return ports.ranges.length === 0 ? null : ports.ranges;
  const given = ports.ranges.length > 0 ? ports.ranges : ports.names.length > 0 ? [] : [everyPort];
  return rangesWithout(given, notPorts.ranges);
}
