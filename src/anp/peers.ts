// Subjects and peers → groups and networks. A peer is a one-of; one without a known field is returned as unknown, and
// its rule must fail closed. Order of peers and of networks is kept.

import type { Peer, PodGroup } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import { readNamespacedPods, readNamespaces, readNetworks } from "../kubernetes/groups.ts";
import { readSelector } from "../kubernetes/selector.ts";
import { chosen } from "../kubernetes/shape.ts";

export type PeerKind = "namespaces" | "pods" | "nodes" | "networks";

export interface PeerList {
  readonly peers: readonly Peer[];
  /** Peers without a known field. */
  readonly unknown: readonly Field[];
}

/** A peer without a known field. */
interface UnknownPeer {
  readonly unknown: Field;
}

const maxPeers = 100;
const maxNetworks = 25;

export function readSubject(field: Field): PodGroup | null {
  const kind = chosen(field, ["namespaces", "pods"]);
  switch (kind) {
    case null:
      return null;
    case "none":
      return field.error("must have one of namespaces, pods", "MissingField");
    default:
      return readPods(field.at(kind), kind);
  }
}

export function readPeers(field: Field, kinds: readonly PeerKind[]): PeerList | null {
  const items = field.list(1, maxPeers);
  const read = items && readAll(items, (item) => readPeer(item, kinds));
  if (read === null) return null;
  const peers: Peer[] = [];
  const unknown: Field[] = [];
  for (const entry of read) {
    if ("unknown" in entry) unknown.push(entry.unknown);
    else peers.push(...entry);
  }
  return { peers, unknown };
}

function readPeer(entry: Field, kinds: readonly PeerKind[]): readonly Peer[] | UnknownPeer | null {
  const kind = chosen(entry, kinds);
  if (kind === null) return null;
  if (kind === "none") return { unknown: entry };
  const field = entry.at(kind);
  switch (kind) {
    case "networks":
      return readNetworks(field, maxNetworks);
    case "nodes": {
      const nodes = readSelector(field);
      return nodes && [{ kind: "nodes", nodes }];
    }
    case "namespaces":
    case "pods": {
      const pods = readPods(field, kind);
      return pods && [pods];
    }
  }
}

function readPods(field: Field, kind: "namespaces" | "pods"): PodGroup | null {
  return kind === "namespaces" ? readNamespaces(field) : readNamespacedPods(field);
}
