// `ipBlock` → a network, and which networks are special. A block with a field that is not known here is open: what that field
// leaves out is not known.

import { ipBlockFields, readIPBlock } from "../../kubernetes/ip-block.ts";
import { holdsNetwork } from "../../model/cidr.ts";
import { parseCidr } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import type { Network } from "./members.ts";
import type { Reading } from "../reading.ts";

const multicast = ["224.0.0.0/4", "ff00::/8"].flatMap((text) => parseCidr(text) ?? []);

/** Every address of both families. */
export const everyAddress: readonly Network[] = ["0.0.0.0/0", "::/0"].flatMap((text) => {
  const cidr = parseCidr(text);
  return cidr === null ? [] : [{ kind: "network" as const, cidr, except: [] }];
});

export function isMulticast({ cidr }: Network): boolean {
  return multicast.some((all) => holdsNetwork(all, cidr));
}

export function readBlock(field: Field, reading: Reading): Network | "open" | null {
  if (!field.object()) return null;
  const isOpen = reading.closeUnknown(field, ipBlockFields, "UnknownPeer");
  const block = readIPBlock(field);
  return block && isOpen ? "open" : block;
}
