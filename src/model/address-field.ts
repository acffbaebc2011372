// An address in a file of ours.

import type { IpAddress } from "./ip.ts";
import { parseIp } from "./ip.ts";
import type { Field } from "./reader.ts";

/** null: an error was reported. */
export function readAddress(field: Field): IpAddress | null {
  const text = field.string();
  return text === null ? null : (parseIp(text) ?? field.error(`${field.quoted} is not an address`));
}
