// `ipBlock` → a network without the addresses of its exceptions, each of which is a smaller network inside. A block with
// a field that is not known here is open: what that field leaves out is not known.

import { holdsNetwork } from "../model/cidr.ts";
import type { Cidr } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Network } from "./members.ts";
import type { Reading } from "./reading.ts";

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
  const isOpen = reading.closeUnknown(field, ["cidr", "except"], "UnknownPeer");
  const cidr = readCidr(field.at("cidr"));
  const list = field.at("except");
  const items = list.present ? list.list(0, Infinity) : [];
  const except = items && readAll(items, (item) => readException(item, cidr));
  if (cidr === null || except === null) return null;
  return isOpen ? "open" : { kind: "network", cidr, except };
}

function readCidr(field: Field): Cidr | null {
  const text = field.string();
  if (text === null) return null;
  return parseCidr(text) ?? field.error(`${field.quoted} is not a network in CIDR notation`, "InvalidCIDR");
}

function readException(field: Field, cidr: Cidr | null): Cidr | null {
  const except = readCidr(field);
  if (except === null || cidr === null) return except;
  if (except !== cidr && holdsNetwork(cidr, except)) return except;
  return field.error(`${field.quoted} is not a smaller network inside ${cidr}`, "InvalidCIDR");
}
