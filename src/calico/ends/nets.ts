// `nets` and `notNets` of both sides of a rule, and the one family that they and `ipVersion` demand of its packets.

import type { PartOfNetwork } from "../../model/cidr.ts";
import { partsWithin } from "../../model/cidr.ts";
import type { Cidr, IpFamily } from "../../model/ip.ts";
import { everyAddress, familyNames, familyOf, ipFamilies, parseCidr, parseIp } from "../../model/ip.ts";
import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import type { Addresses } from "../../policy/ir.ts";

const most = 256;

/** Empty lists say nothing. */
export interface Nets {
  readonly nets: readonly Cidr[];
  readonly notNets: readonly Cidr[];
}

/** null: an error was reported. */
export function readNets(side: Field): Nets | null {
  const nets = readList(side.at("nets"));
  const notNets = readList(side.at("notNets"));
  for (const item of side.at("notNets").items())
    if (typeof item.raw === "string" && item.raw.endsWith("/0"))
      item.error("must not be every address", "InvalidCIDR");
  return nets && notNets && { nets, notNets };
}

function readList(field: Field): readonly Cidr[] | null {
  if (!field.present) return [];
  const items = field.list(0, most);
  return items && readAll(items, readNet);
}

/** Without host bits. */
function readNet(field: Field): Cidr | null {
  const text = field.string();
  if (text === null) return null;
  const cidr = parseCidr(text);
  if (cidr === null) return field.error(`${field.quoted} is not a network in CIDR notation`, "InvalidCIDR");
  const [address = "", length = ""] = text.split("/");
  if (`${parseIp(address) ?? ""}/${length}` === cidr) return cidr;
  return field.error(`${field.quoted} has bits behind its prefix: is ${cidr} meant?`, "InvalidCIDR");
}

/** A rule with networks matches packets of their family alone. null: any; undefined: an error was reported. */
export function familyOfRule(
  rule: Field,
  nets: readonly Nets[],
  ofVersion: IpFamily | null,
): IpFamily | null | undefined {
  const all = nets.flatMap((one) => [...one.nets, ...one.notNets]);
  const found = new Set([...(ofVersion === null ? [] : [ofVersion]), ...all.map(familyOf)]);
  const [family = null] = found;
  if (found.size < 2) return family;
  const names = ipFamilies.map((one) => familyNames[one]).join(" and ");
  rule.error(`must not be about ${names}: its networks, and its ipVersion, are of one family`, "InvalidCIDR");
  return undefined;
}

/** The addresses that a side of a rule of the family may have; null: any. */
export function addressesOf({ nets, notNets }: Nets, family: IpFamily | null): Addresses | null {
  if (nets.length > 0) return { networks: distinct(nets), except: distinct(notNets) };
  return family === null ? null : { networks: [everyAddress(family)], except: distinct(notNets) };
}

/** The networks among the addresses, with their own exceptions; those of which nothing is left are left out. */
export function networksIn(networks: readonly Cidr[], addresses: Addresses | null): readonly PartOfNetwork[] {
  if (addresses === null) return networks.map((cidr) => ({ cidr, except: [] }));
  return partsWithin(networks, addresses.networks, addresses.except);
}

function distinct(list: readonly Cidr[]): readonly Cidr[] {
  return [...new Set(list)];
}
