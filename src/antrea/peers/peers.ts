// An entry of `from` or `to` → what it selects. It says so in one way; which ways there are differs between the two kinds
// of policy. Ways that rows cannot say leave the entry open, and its rule becomes stricter.

import { readSelector } from "../../kubernetes/selector.ts";
import type { Field } from "../../model/reader.ts";
import { readAll } from "../../model/reader.ts";
import { everything } from "../../model/selector.ts";
import { isLabelKey } from "../../model/syntax.ts";
import { namesPeer } from "../../policy/contracts/names.ts";
import type { Direction, SameNamespaces } from "../../policy/ir.ts";
import { readBlock } from "./blocks.ts";
import { readGroup } from "./groups.ts";
import type { Members } from "./members.ts";
import { noMembers, openMembers } from "./members.ts";
import type { Reading } from "../reading.ts";
import { readPods, readServiceAccount } from "./selectors.ts";

const ways = [
  "ipBlock",
  "group",
  "serviceAccount",
  "nodeSelector",
  "fqdn",
  "externalEntitySelector",
] as const;
type Way = (typeof ways)[number];

const selectors = ["podSelector", "namespaceSelector", "namespaces"];

/** The rule that the peer is in. */
export interface PeerPlace {
  readonly direction: Direction;
  readonly isAllow: boolean;
}

export function readPeer(field: Field, place: PeerPlace, reading: Reading): Members | null {
  if (!field.object()) return null;
  const isStrange = reading.closeUnknown(field, [...ways, ...selectors, "scope"], "UnknownPeer");
  const reaches = readScope(field.at("scope"), reading);
  const members = readKnown(field, place, reading);
  if (members === null || reaches === null) return null;
  return isStrange || !reaches ? openMembers : members;
}

/** Whether the peer stays in this cluster. */
function readScope(field: Field, reading: Reading): boolean | null {
  if (!field.present || field.raw === "Cluster") return true;
  if (field.raw !== "ClusterSet") return field.error(`must be Cluster or ClusterSet, not ${field.quoted}`);
  reading.close(field, "pods of other clusters are not known here");
  return false;
}

function readKnown(field: Field, place: PeerPlace, reading: Reading): Members | null {
  const found = ways.filter((way) => field.has(way));
  const beside = selectors.filter((one) => field.has(one));
  const [way] = found;
  if (way === undefined) return readSelectors(field, reading);
  const isPair = way === "externalEntitySelector" && beside.join() === "namespaceSelector";
  if (found.length > 1 || (beside.length > 0 && !isPair))
    return field.error(`must have only one of ${[...found, ...beside].join(", ")}`);
  return readWay(field.at(way), way, place, reading);
}

function readWay(field: Field, way: Way, place: PeerPlace, reading: Reading): Members | null {
  switch (way) {
    case "ipBlock": {
      const block = readBlock(field, reading);
      return block && (block === "open" ? openMembers : { ...noMembers, networks: [block] });
    }
    case "group":
      return readGroup(field, reading);
    case "serviceAccount": {
      if (reading.namespace !== null) return field.error("only a ClusterNetworkPolicy may have one");
      const pods = readServiceAccount(field);
      return pods && { ...noMembers, pods: [pods] };
    }
    case "nodeSelector": {
      const nodes = readSelector(field);
      return nodes && { ...noMembers, nodes: [{ kind: "nodes", nodes }] };
    }
    case "fqdn":
      return readDomainName(field, place, reading);
    case "externalEntitySelector":
      reading.close(field, "external entities are not known here");
      return openMembers;
  }
}

/** A deny of names lets those through that were not answered yet, so that only an Allow has them. */
function readDomainName(field: Field, { direction, isAllow }: PeerPlace, reading: Reading): Members | null {
  const name = field.string();
  if (direction === "ingress") return field.error("must not be in an ingress rule");
  if (name === null) return null;
  if (!/^[-0-9a-zA-Z.*]+$/.test(name)) return field.error(`${field.quoted} is not a domain name`);
  const peer = isAllow ? namesPeer(name, reading.names) : null;
  if (peer !== null) return { ...noMembers, names: [peer] };
  reading.close(field, "domain names are not resolved here");
  return openMembers;
}

function readSelectors(field: Field, reading: Reading): Members | null {
  if (field.has("namespaces")) {
    const same = readSameNamespaces(field, reading);
    return same && { ...noMembers, same: [same] };
  }
  const isEmpty = !selectors.some((one) => field.has(one));
  if (isEmpty && (reading.namespace === null || field.names().length > 0)) {
    if (field.names().length === 0) reading.close(field, "an empty peer selects nothing", "UnknownPeer");
    return noMembers;
  }
  const pods = readPods(field, reading.namespace);
  return pods && { ...noMembers, pods: [pods] };
}

function readSameNamespaces(peer: Field, reading: Reading): SameNamespaces | null {
  const field = peer.at("namespaces");
  if (reading.namespace !== null) return field.error("only a ClusterNetworkPolicy may have it");
  if (peer.has("namespaceSelector")) return field.error("must not be beside namespaceSelector");
  const keys = readKeys(field);
  const selector = peer.at("podSelector");
  const pods = selector.present ? readSelector(selector) : everything;
  return keys && pods && { kind: "sameNamespaces", keys, pods };
}

/** None: the pod's own namespace. Unknown fields refuse: without them more would be selected than was meant. */
function readKeys(field: Field): readonly string[] | null {
  if (!field.object()) return null;
  const [match, labels] = [field.at("match"), field.at("sameLabels")];
  const [other] = field.others(["match", "sameLabels"]);
  if (other !== undefined) return field.at(other).error("this field is not known here");
  if (match.present === labels.present) return field.error("must have one of match, sameLabels");
  if (match.present) return match.raw === "Self" ? [] : match.error(`must be Self, not ${match.quoted}`);
  const items = labels.list(1, Infinity);
  return items && readAll(items, readKey);
}

function readKey(field: Field): string | null {
  const key = field.string();
  return key === null || isLabelKey(key) ? key : field.error(`${field.quoted} is not a valid label key`);
}
