// Entries of `protocols` → PortMatch, in order. An entry is a one-of, and so is its destinationPort; the object of a
// protocol is not: all of its fields restrict. Where a field is not known the entry is returned as unknown, and its rule
// must fail closed.

import type { Field } from "../model/reader.ts";
import type { PortMatch } from "../policy/ir.ts";
import type { PortList, UnknownPort } from "../kubernetes/ports.ts";
import { readPortList, readPortName } from "../kubernetes/ports.ts";
import { chosen, warnOfOthers } from "../kubernetes/shape.ts";
import type { Protocol } from "../model/facts.ts";

type Entry = PortMatch | UnknownPort | null;

const highest = 65535;

export function readProtocols(field: Field, max: number): PortList | null {
  return readPortList(field, max, readEntry);
}

function readEntry(field: Field): Entry {
  const kind = chosen(field, ["tcp", "udp", "sctp", "destinationNamedPort"]);
  switch (kind) {
    case null:
      return null;
    case "none":
      return { unknown: field };
    case "destinationNamedPort":
      return readPortName(field.at(kind));
    default:
      return readProtocol(field.at(kind), kind);
  }
}

/** Without a destinationPort the entry may mean more or less than every port: the server refuses to store it. */
function readProtocol(field: Field, protocol: Protocol): Entry {
  if (!field.object()) return null;
  const port = field.at("destinationPort");
  if (!port.present) return { unknown: field };
  const read = readDestination(port, protocol);
  const others = field.others(["destinationPort"]);
  return read === null || others.length === 0 ? read : { unknown: field, isPart: true };
}

function readDestination(field: Field, protocol: Protocol): Entry {
  const kind = chosen(field, ["number", "range"]);
  switch (kind) {
    case null:
      return null;
    case "none":
      return { unknown: field };
    case "number": {
      const port = field.at(kind).integer(1, highest);
      return port === null ? null : { kind: "port", protocol, port };
    }
    case "range":
      return readRange(field.at(kind), protocol);
  }
}

function readRange(field: Field, protocol: Protocol): PortMatch | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["start", "end"]);
  const start = field.at("start").integer(1, highest);
  const end = field.at("end").integer(1, highest);
  if (start === null || end === null) return null;
  if (start >= end) return field.error(`start ${start} must be below end ${end}`);
  return { kind: "range", protocol, start, end };
}
