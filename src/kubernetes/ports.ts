// The parts of a port entry that many APIs share: a protocol, a number, a range, a name; and lists of entries. An
// unknown entry is returned, and its rule must fail closed. A protocol is a constant of the API (upper case) or absent,
// which means TCP. The API decides which fields an entry has.

import type { PortMatch } from "../policy/ir.ts";
import type { Protocol } from "../model/facts.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { isPortName } from "../model/syntax.ts";

export interface PortList {
  /** null: any protocol and port. */
  readonly ports: readonly PortMatch[] | null;
  readonly unknown: readonly UnknownPort[];
}

/** An entry without a known field, or with one that is not known where every field restricts. */
export interface UnknownPort {
  readonly unknown: Field;
  /** Whether fields of it are known too; false unless given. */
  readonly isPart?: boolean;
}

const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);

/** Absent: any port. A list has from one to `max` entries; their order is kept. */
export function readPortList(
  field: Field,
  max: number,
  readPort: (entry: Field) => PortMatch | UnknownPort | null,
): PortList | null {
  if (!field.present) return { ports: null, unknown: [] };
  const items = field.list(1, max);
  const read = items && readAll(items, readPort);
  if (read === null) return null;
  const ports: PortMatch[] = [];
  const unknown: UnknownPort[] = [];
  for (const entry of read) {
    if ("unknown" in entry) unknown.push(entry);
    else ports.push(entry);
  }
  return { ports, unknown };
}

export function readPortNumber(protocol: Field, port: Field): PortMatch | null {
  const known = readProtocol(protocol);
  const number = port.integer(1, 65535);
  return known === null || number === null ? null : { kind: "port", protocol: known, port: number };
}

/** A range of one port becomes that port: the documented rows have it so. Findings about both ends name `field`. */
export function readPortRange(
  field: Field,
  ends: { protocol: Field; start: Field; end: Field },
): PortMatch | null {
  const protocol = readProtocol(ends.protocol);
  const start = ends.start.integer(1, 65535);
  const end = ends.end.integer(1, 65535);
  if (protocol === null || start === null || end === null) return null;
  // The schema stores it although the API text says start < end, so the object is not refused.
  if (start > end) field.warn(`start ${start} is above end ${end}, so the range matches nothing`);
  return start === end ? { kind: "port", protocol, port: start } : { kind: "range", protocol, start, end };
}

/** The API checks no form, and the name never reaches a row: only the numbers it resolves to do. */
export function readPortName(field: Field): PortMatch | null {
  const name = field.string();
  if (name === null) return null;
  if (!isPortName(name))
    field.warn(`${field.quoted} cannot be the name of a container port, so it matches nothing`);
  return { kind: "named", name };
}

export function readProtocol(field: Field): Protocol | null {
  if (!field.present) return "tcp";
  const text = field.string();
  if (text === null) return null;
  const protocol = protocols.get(text);
  return protocol ?? field.error(`must be TCP, UDP or SCTP, not ${field.quoted}`, "UnknownProtocol");
}
