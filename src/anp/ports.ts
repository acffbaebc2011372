// Port entries → PortMatch, in order. An entry is a one-of; one without a known field is handed back as unknown, for the
// rule to fail closed. A protocol is a constant of the API (upper case) or absent, which means TCP.

import type { PortMatch } from "../policy/ir.ts";
import type { Protocol } from "../model/facts.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { isPortName } from "../model/syntax.ts";
import { chosen, warnOfOthers } from "./shape.ts";

export interface PortList {
  /** null: any protocol and port. */
  readonly ports: readonly PortMatch[] | null;
  /** Entries without a known field. */
  readonly unknown: readonly Field[];
}

const maxPorts = 100;
const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["TCP", "tcp"],
  ["UDP", "udp"],
  ["SCTP", "sctp"],
]);

export function readPorts(field: Field): PortList | null {
  if (!field.present) return { ports: null, unknown: [] };
  const items = field.list(1, maxPorts);
  const read = items && readAll(items, readPort);
  return (
    read && {
      ports: read.flatMap((entry) => ("unknown" in entry ? [] : [entry])),
      unknown: read.flatMap((entry) => ("unknown" in entry ? [entry.unknown] : [])),
    }
  );
}

function readPort(field: Field): PortMatch | { readonly unknown: Field } | null {
  const kind = chosen(field, ["portNumber", "portRange", "namedPort"]);
  switch (kind) {
    case null:
      return null;
    case "none":
      return { unknown: field };
    case "portNumber":
      return readNumber(field.at(kind));
    case "portRange":
      return readRange(field.at(kind));
    case "namedPort":
      return readNamed(field.at(kind));
  }
}

function readNumber(field: Field): PortMatch | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["protocol", "port"]);
  const protocol = readProtocol(field.at("protocol"));
  const port = field.at("port").integer(1, 65535);
  return protocol === null || port === null ? null : { kind: "port", protocol, port };
}

/** A range of one port is that port: the documented rows write it so. */
function readRange(field: Field): PortMatch | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["protocol", "start", "end"]);
  const protocol = readProtocol(field.at("protocol"));
  const start = field.at("start").integer(1, 65535);
  const end = field.at("end").integer(1, 65535);
  if (protocol === null || start === null || end === null) return null;
  // The schema stores it although the API text says start < end, so the object is not refused.
  if (start > end) field.warn(`start ${start} is above end ${end}, so the range matches nothing`);
  return start === end ? { kind: "port", protocol, port: start } : { kind: "range", protocol, start, end };
}

/** The API checks no form, and the name never reaches a row: only the numbers it resolves to do. */
function readNamed(field: Field): PortMatch | null {
  const name = field.string();
  if (name === null) return null;
  if (!isPortName(name))
    field.warn(`${field.quoted} cannot be the name of a container port, so it matches nothing`);
  return { kind: "named", name };
}

function readProtocol(field: Field): Protocol | null {
  if (!field.present) return "tcp";
  const text = field.string();
  if (text === null) return null;
  const protocol = protocols.get(text);
  return protocol ?? field.error(`must be TCP, UDP or SCTP, not ${field.quoted}`, "UnknownProtocol");
}
