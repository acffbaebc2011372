// An entry of `ports` → a port, a range, a name of the destination's container ports, or all of TCP, UDP or SCTP; each may
// name the connection's source ports too. Of an entry with a field that is not known here nothing is known.

import { readProtocol } from "../../kubernetes/ports.ts";
import type { Protocol } from "../../model/facts.ts";
import { protocolNumbers } from "../../model/protocols.ts";
import type { Field } from "../../model/reader.ts";
import { isPortName } from "../../model/syntax.ts";
import type { PortMatch, PortRange } from "../../policy/ir.ts";
import type { Reading } from "../reading.ts";

const highest = 65535;

/** What entries of `ports` and `protocols` match: the same list twice where it can be expressed as it is written. */
export interface Traffic {
  /** Nothing else than was meant: what an allow may match. */
  readonly within: readonly PortMatch[];
  /** All that was meant: what any other action must match; null: any traffic. */
  readonly around: readonly PortMatch[] | null;
}

export const openTraffic: Traffic = { within: [], around: null };

export function exactly(matches: readonly PortMatch[]): Traffic {
  return { within: matches, around: matches };
}

export function readPort(field: Field, reading: Reading): Traffic | null {
  if (!field.object()) return null;
  const known = ["protocol", "port", "endPort", "sourcePort", "sourceEndPort"];
  const isStrange = reading.closeUnknown(field, known, "UnknownPort");
  const protocol = readProtocol(field.at("protocol"));
  const source = readRange(field.at("sourcePort"), field.at("sourceEndPort"));
  const match = protocol === null || source === null ? null : readMatch(field, protocol, source);
  if (match === null) return null;
  return isStrange ? openTraffic : exactly([match]);
}

function readMatch(field: Field, protocol: Protocol, source: PortRange | "none"): PortMatch | null {
  const [port, end] = [field.at("port"), field.at("endPort")];
  const from = source === "none" ? {} : { source };
  if (typeof port.raw === "string") {
    if (end.present) return end.error("must not be given with the name of a port");
    return readName(port, port.raw, protocol, from);
  }
  const range = readRange(port, end);
  if (range === null) return null;
  if (range === "none") {
    if (source === "none") return { kind: "protocol", number: protocolNumbers[protocol] };
    return { kind: "range", protocol, start: 0, end: highest, source };
  }
  const { start, end: last } = range;
  return start === last
    ? { kind: "port", protocol, port: start, ...from }
    : { kind: "range", protocol, start, end: last, ...from };
}

/** "none": neither end is given. */
function readRange(port: Field, end: Field): PortRange | "none" | null {
  if (!port.present) {
    if (end.present) return end.error("must not be given without the port that it ends");
    return "none";
  }
  const start = port.integer(0, highest);
  const last = end.present ? end.integer(0, highest) : start;
  if (start === null || last === null) return null;
  return last < start ? end.error(`must not be below port ${start}`) : { start, end: last };
}

/** The same form that container ports' names have: another one would match nothing without a word. */
function readName(
  field: Field,
  name: string,
  protocol: Protocol,
  from: { readonly source?: PortRange },
): PortMatch | null {
  if (isPortName(name)) return { kind: "named", name, protocol, ...from };
  return field.error(`${field.quoted} cannot be the name of a container port`);
}
