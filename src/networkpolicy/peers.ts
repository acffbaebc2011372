// An entry of `from` or `to` → a group of pods or a network. Selectors: of the policy's own namespace where the entry has
// no namespaceSelector, of all pods where it has no podSelector. An ipBlock stands alone.

import { parseCidr } from "../model/ip.ts";
import type { Cidr } from "../model/ip.ts";
import { holdsNetwork } from "../model/cidr.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { everything } from "../model/selector.ts";
import { readSelector } from "../kubernetes/selector.ts";
import type { Peer } from "../policy/ir.ts";
import type { Entry } from "./unknown.ts";
import { isUnknown, unknown, warnOfUnknown } from "./unknown.ts";

const selectorFields = ["podSelector", "namespaceSelector"];

/** `namespace`: the policy's own. */
export function readPeer(field: Field, namespace: string): Entry<Peer> | null {
  if (!field.object()) return null;
  const hasUnknown = warnOfUnknown(field, [...selectorFields, "ipBlock"], "UnknownPeer");
  const peer = readKnown(field, namespace);
  if (peer === null || isUnknown(peer)) return peer;
  return hasUnknown ? unknown : peer;
}

function readKnown(field: Field, namespace: string): Entry<Peer> | null {
  const selects = selectorFields.some((name) => field.has(name));
  if (field.has("ipBlock")) {
    if (selects) return field.error("must not have selectors beside ipBlock");
    return readBlock(field.at("ipBlock"));
  }
  if (selects) return readPods(field, namespace);
  if (field.names().length > 0) return unknown;
  return field.error("must have one of podSelector, namespaceSelector, ipBlock", "MissingField");
}

function readPods(field: Field, namespace: string): Peer | null {
  const [scope, selector] = [field.at("namespaceSelector"), field.at("podSelector")];
  const namespaces = scope.present ? readSelector(scope) : namespacesNamed([namespace]);
  const pods = selector.present ? readSelector(selector) : everything;
  return namespaces && pods && { kind: "pods", namespaces, pods };
}

function readBlock(field: Field): Entry<Peer> | null {
  if (!field.object()) return null;
  const hasUnknown = warnOfUnknown(field, ["cidr", "except"], "UnknownPeer");
  const cidr = readCidr(field.at("cidr"));
  const list = field.at("except");
  const items = list.present ? list.list(0, Infinity) : [];
  const except = items && readAll(items, (item) => readException(item, cidr));
  if (cidr === null || except === null) return null;
  return hasUnknown ? unknown : { kind: "network", cidr, except };
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
