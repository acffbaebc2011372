// An entry of `ports` → a port, a range, a name of the destination's container ports, or a whole protocol, which is TCP
// unless the entry names one.

import type { Protocol } from "../model/facts.ts";
import { protocolNumbers } from "../model/protocols.ts";
import type { Field } from "../model/reader.ts";
import { isPortName } from "../model/syntax.ts";
import type { PortMatch } from "../policy/ir.ts";
import { readProtocol } from "../kubernetes/ports.ts";
import type { OrUnknown } from "./unknown.ts";
import { unknown, warnOfUnknown } from "./unknown.ts";

const highest = 65535;

export function readPort(field: Field): OrUnknown<PortMatch> | null {
  if (!field.object()) return null;
  const hasUnknown = warnOfUnknown(field, ["protocol", "port", "endPort"], "UnknownPort");
  const protocol = readProtocol(field.at("protocol"));
  if (protocol === null) return null;
  const port = readKnown(field, protocol);
  return port !== null && hasUnknown ? unknown : port;
}

function readKnown(field: Field, protocol: Protocol): PortMatch | null {
  const [port, end] = [field.at("port"), field.at("endPort")];
  if (!port.present) {
    if (end.present) return end.error("must not be given without port");
    return { kind: "protocol", number: protocolNumbers[protocol] };
  }
  if (typeof port.raw === "string") {
    if (end.present) return end.error("must not be given with the name of a port");
    return readName(port, port.raw, protocol);
  }
  const start = port.integer(1, highest);
  const last = end.present ? end.integer(1, highest) : start;
  if (start === null || last === null) return null;
  if (last < start) return end.error(`must not be below port ${start}`);
  return start === last
    ? { kind: "port", protocol, port: start }
    : { kind: "range", protocol, start, end: last };
}

/** The API server refuses a name that no container port can have. */
function readName(field: Field, name: string, protocol: Protocol): PortMatch | null {
  if (isPortName(name)) return { kind: "named", name, protocol };
  return field.error(`${field.quoted} cannot be the name of a container port`);
}
