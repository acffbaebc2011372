// An entry of `protocols` → ICMP by its numbers, or IGMP. Rows have no field for the type of an IGMP message, and its
// group's address is a destination: an allow with either matches nothing,
// and a drop all IGMP of the group. Rules with IGMP have nothing beside it.

import { parseIp } from "../../model/ip.ts";
import { aloneIn } from "../../model/cidr.ts";
import type { Field } from "../../model/reader.ts";
import { chosen } from "../../kubernetes/shape.ts";
import type { Direction, PortMatch } from "../../policy/ir.ts";
import { everyAddress, isMulticast } from "../peers/blocks.ts";
import type { Network } from "../peers/members.ts";
import type { Traffic } from "./ports.ts";
import { exactly, openTraffic } from "./ports.ts";
import type { Reading } from "../reading.ts";

/** IANA's number of IGMP. */
const igmp: PortMatch = { kind: "protocol", number: 2 };

/** Types of messages: membership queries are ingress; reports of versions 1 to 3 are egress. */
const igmpTypes: Readonly<Record<Direction, readonly number[]>> = {
  ingress: [0x11],
  egress: [0x12, 0x16, 0x22],
};

/** Of IGMP also the multicast groups that it is about; null: it is not IGMP. */
export interface ProtocolTraffic extends Traffic {
  readonly groups: readonly Network[] | null;
}

export function readProtocolEntry(
  field: Field,
  direction: Direction,
  reading: Reading,
): ProtocolTraffic | null {
  if (!field.object()) return null;
  const isStrange = reading.closeUnknown(field, ["icmp", "igmp"], "UnknownPort");
  if (isStrange) return { ...openTraffic, groups: null };
  const kind = chosen(field, ["icmp", "igmp"]);
  if (kind === null) return null;
  if (kind === "none") return field.error("must have one of icmp, igmp", "MissingField");
  return kind === "icmp" ? readIcmp(field.at(kind), reading) : readIgmp(field.at(kind), direction, reading);
}

function readIcmp(field: Field, reading: Reading): ProtocolTraffic | null {
  if (!field.object()) return null;
  const isStrange = reading.closeUnknown(field, ["icmpType", "icmpCode"], "UnknownPort");
  const [type, code] = [readByte(field.at("icmpType")), readByte(field.at("icmpCode"))];
  if (type === undefined || code === undefined) return null;
  if (isStrange) return { ...openTraffic, groups: null };
  return { ...exactly([{ kind: "icmp", family: null, type, code }]), groups: null };
}

/** null: it is absent; undefined: an error was reported. */
function readByte(field: Field): number | null | undefined {
  return field.present ? (field.integer(0, 255) ?? undefined) : null;
}

function readIgmp(field: Field, direction: Direction, reading: Reading): ProtocolTraffic | null {
  if (!field.object()) return null;
  const isStrange = reading.closeUnknown(field, ["igmpType", "groupAddress"], "UnknownPort");
  const [type, address] = [field.at("igmpType"), field.at("groupAddress")];
  const groups = address.present && address.raw !== "" ? readGroupAddress(address) : everyAddress;
  if (groups === null || !isType(type, direction)) return null;
  const isAddressed = groups !== everyAddress && direction === "ingress";
  if (type.present) reading.close(type, "OVN cannot match the type of an IGMP message");
  if (isAddressed) reading.close(address, "rows of ingress rules cannot say a destination");
  const isOpen = isStrange || type.present || isAddressed;
  return { within: isOpen ? [] : [igmp], around: [igmp], groups: isAddressed ? everyAddress : groups };
}

function isType(field: Field, direction: Direction): boolean {
  if (!field.present) return true;
  const types = igmpTypes[direction];
  if (types.some((type) => type === field.raw)) return true;
  const words = types.map((type) => `0x${type.toString(16)}`).join(", ");
  field.error(`must be one of ${words} in this direction, not ${field.quoted}`);
  return false;
}

function readGroupAddress(field: Field): readonly Network[] | null {
  const text = field.string();
  if (text === null) return null;
  const ip = parseIp(text);
  const network: Network | null = ip && { kind: "network", cidr: aloneIn(ip), except: [] };
  if (network !== null && isMulticast(network)) return [network];
  return field.error(`${field.quoted} is not an address of a multicast group`, "InvalidAddress");
}
