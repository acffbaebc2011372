// Port entries → PortMatch, in order. An entry is a one-of; one without a known field is returned as unknown, and its
// rule must fail closed.

import type { PortMatch } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import type { PortList, UnknownPort } from "../kubernetes/ports.ts";
import { readPortList, readPortName, readPortNumber, readPortRange } from "../kubernetes/ports.ts";
import { chosen, warnOfOthers } from "../kubernetes/shape.ts";

export function readPorts(field: Field, max: number): PortList | null {
  return readPortList(field, max, readPort);
}

function readPort(field: Field): PortMatch | UnknownPort | null {
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
      return readPortName(field.at(kind));
  }
}

function readNumber(field: Field): PortMatch | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["protocol", "port"]);
  return readPortNumber(field.at("protocol"), field.at("port"));
}

function readRange(field: Field): PortMatch | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["protocol", "start", "end"]);
  const [protocol, start, end] = [field.at("protocol"), field.at("start"), field.at("end")];
  return readPortRange(field, { protocol, start, end });
}
