// `ports` and `notPorts` of one side of a rule → ranges of numbers, and names.

import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import type { PortList, PortRange } from "../../policy/ir.ts";
import { mergedRanges } from "../../policy/ports/port-ranges.ts";

const highest = 65535;
const most = 50;

/** The ranges ascend, with room between. Empty: any port. null: an error was reported. `hasNumbers`: the rule's protocol has ports. */
export function readPorts(field: Field, hasNumbers: boolean): PortList | null {
  if (!field.present) return { ranges: [], names: [] };
  const items = field.list(0, most);
  const read = items && readAll(items, readPort);
  if (items === null || read === null) return null;
  const ranges = read.filter((one) => typeof one !== "string");
  if (ranges.length > 0 && !hasNumbers)
    return field.error("numbers of ports must not be given without protocol TCP, UDP or SCTP");
  return { ranges: mergedRanges(ranges), names: [...new Set(read.filter((one) => typeof one === "string"))] };
}

/** A range, or the name of a port. */
function readPort(field: Field): PortRange | string | null {
  const { raw } = field;
  if (typeof raw === "number") {
    const port = field.integer(1, highest);
    return port === null ? null : { start: port, end: port };
  }
  const text = field.string();
  if (text === null) return null;
  const [, from, to = from] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return readRange(field, Number(from), Number(to));
  if (/^[a-zA-Z0-9_.-]{1,128}$/.test(text)) return text;
  return field.error(`${field.quoted} is not a port, a range of ports or the name of one`);
}

function readRange(field: Field, start: number, end: number): PortRange | null {
  if (start >= 1 && start <= end && end <= highest) return { start, end };
  return field.error(`${field.quoted} is not within 1 to ${highest}, in ascending order`);
}
