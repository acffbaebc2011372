// Selectors of namespaces and of pods in them, as many APIs write them → a group of pods; lists of CIDRs → networks.
// Order is kept. The API decides how long a list may be, so the caller passes the limit.

import { parseCidr } from "../model/ip.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { Selector } from "../model/selector.ts";
import { everything } from "../model/selector.ts";
import type { Peer, PodGroup } from "../policy/ir.ts";
import { readSelector } from "./selector.ts";
import { warnOfOthers } from "./shape.ts";

/** The longest CIDR there is: eight groups of four digits, seven colons, "/128". */
const maxCidrLength = 43;

/** A label selector of namespaces: all of their pods. */
export function readNamespaces(field: Field): PodGroup | null {
  const namespaces = readSelector(field);
  return namespaces && { kind: "pods", namespaces, pods: everything };
}

/** `namespaceSelector` and `podSelector`, both of them required. */
export function readNamespacedPods(field: Field): PodGroup | null {
  return readPodsIn(field, readSelector);
}

/** `podSelector`, and `namespaceSelector` unless all namespaces are meant. */
export function readPodsAnywhere(field: Field): PodGroup | null {
  return readPodsIn(field, (selector) => (selector.present ? readSelector(selector) : everything));
}

function readPodsIn(field: Field, readScope: (selector: Field) => Selector | null): PodGroup | null {
  if (!field.object()) return null;
  warnOfOthers(field, ["namespaceSelector", "podSelector"]);
  const namespaces = readScope(field.at("namespaceSelector"));
  const pods = readSelector(field.at("podSelector"));
  return namespaces && pods && { kind: "pods", namespaces, pods };
}

/** From one to `max` different CIDRs. */
export function readNetworks(field: Field, max: number): readonly Peer[] | null {
  const items = field.list(1, max);
  if (items === null) return null;
  const seen = new Set<string>();
  return readAll(items, (item) => {
    const text = item.string();
    if (text === null) return null;
    const cidr = text.length > maxCidrLength ? null : parseCidr(text);
    if (cidr === null) return item.error(`${item.quoted} is not a network in CIDR notation`, "InvalidCIDR");
    if (seen.has(text)) return item.error(`${item.quoted} is in the list twice`);
    seen.add(text);
    return { kind: "network", cidr, except: [] };
  });
}
