// An entry of `from` or `to` → a group of pods or a network. Selectors: of the policy's own namespace where the entry has
// no namespaceSelector, of all pods where it has no podSelector. An ipBlock must be alone.

import { ipBlockFields, readIPBlock } from "../kubernetes/ip-block.ts";
import type { Field } from "../model/reader.ts";
import { namespacesNamed } from "../model/selectable.ts";
import { everything } from "../model/selector.ts";
import { readSelector } from "../kubernetes/selector.ts";
import type { Peer } from "../policy/ir.ts";
import type { OrUnknown } from "./unknown.ts";
import { isUnknown, unknown, warnOfUnknown } from "./unknown.ts";

const selectorFields = ["podSelector", "namespaceSelector"];

/** `namespace`: the policy's own. */
export function readPeer(field: Field, namespace: string): OrUnknown<Peer> | null {
  if (!field.object()) return null;
  const hasUnknown = warnOfUnknown(field, [...selectorFields, "ipBlock"], "UnknownPeer");
  const peer = readKnown(field, namespace);
  if (peer === null || isUnknown(peer)) return peer;
  return hasUnknown ? unknown : peer;
}

function readKnown(field: Field, namespace: string): OrUnknown<Peer> | null {
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

function readBlock(field: Field): OrUnknown<Peer> | null {
  if (!field.object()) return null;
  const hasUnknown = warnOfUnknown(field, ipBlockFields, "UnknownPeer");
  const block = readIPBlock(field);
  return block && hasUnknown ? unknown : block;
}
