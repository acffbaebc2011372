// `ipBlock` (networking.k8s.io/v1 IPBlock, and other APIs after it) → a network without its exceptions, each of which is a
// smaller network inside.

import { holdsNetwork } from "../model/cidr.ts";
import type { Cidr } from "../model/ip.ts";
import { parseCidr } from "../model/ip.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Peer } from "../policy/ir.ts";

export const ipBlockFields = ["cidr", "except"];

/** `field`: an object. null when a problem was found. */
export function readIPBlock(field: Field): Extract<Peer, { kind: "network" }> | null {
  const cidr = readCidr(field.at("cidr"));
  const list = field.at("except");
  const items = list.present ? list.list(0, Infinity) : [];
  const except = items && readAll(items, (item) => readException(item, cidr));
  return cidr === null || except === null ? null : { kind: "network", cidr, except };
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
