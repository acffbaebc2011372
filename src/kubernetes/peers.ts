// Subjects and peers → groups, networks and names. A peer is a one-of; one without a known field is returned as unknown, one
// that cannot be enforced here as unsupported, and the rule of either must fail closed. Order of peers and of networks
// is kept.

import type { Peer, PodGroup } from "../policy/ir.ts";
import type { Field } from "../model/reader.ts";
import { readAll } from "../model/reader.ts";
import type { NamesMode } from "../policy/contracts/names.ts";
import type { DomainNames } from "./domain-names.ts";
import { readDomainNames } from "./domain-names.ts";
import { readNamespaces, readNetworks } from "./groups.ts";
import { readSelector } from "./selector.ts";
import { chosen } from "./shape.ts";

export type PeerKind = "namespaces" | "pods" | "nodes" | "networks" | "domainNames";

/** How an API writes its subjects and peers. */
export interface PeerTraits {
  /** The most peers of one rule. */
  readonly max: number;
  /** Reads `pods`, of a subject or a peer. */
  readonly readPods: (field: Field) => PodGroup | null;
  /** How domain names are resolved. `off`: a peer of names is unsupported. */
  readonly names: NamesMode;
}

export interface PeerList {
  readonly peers: readonly Peer[];
  /** Peers without a known field. */
  readonly unknown: readonly Field[];
  /** Known fields of peers that cannot be enforced. */
  readonly unsupported: readonly Field[];
  /** Peers of names that are resolved. Only an allow may have them: those that are learned are among `peers`. */
  readonly named: readonly DomainNames[];
}

/** A peer that has no known field, only one that cannot be enforced, or names. */
type OpenPeer =
  { readonly unknown: Field } | { readonly unsupported: Field } | { readonly named: DomainNames };

const maxListed = 25;

export function readSubject(field: Field, traits: PeerTraits): PodGroup | null {
  const kind = chosen(field, ["namespaces", "pods"]);
  switch (kind) {
    case null:
      return null;
    case "none":
      return field.error("must have one of namespaces, pods", "MissingField");
    default:
      return readPods(field.at(kind), kind, traits);
  }
}

export function readPeers(field: Field, kinds: readonly PeerKind[], traits: PeerTraits): PeerList | null {
  const items = field.list(1, traits.max);
  const read = items && readAll(items, (item) => readPeer(item, kinds, traits));
  if (read === null) return null;
  const peers: Peer[] = [];
  const unknown: Field[] = [];
  const unsupported: Field[] = [];
  const named: DomainNames[] = [];
  for (const entry of read) {
    if ("unknown" in entry) unknown.push(entry.unknown);
    else if ("unsupported" in entry) unsupported.push(entry.unsupported);
    else if ("named" in entry) {
      named.push(entry.named);
      peers.push(...entry.named.learned);
    } else peers.push(...entry);
  }
  return { peers, unknown, unsupported, named };
}

function readPeer(
  entry: Field,
  kinds: readonly PeerKind[],
  traits: PeerTraits,
): readonly Peer[] | OpenPeer | null {
  const kind = chosen(entry, kinds);
  if (kind === null) return null;
  // Where the API has no domain names, or not yet: its users know the field by its name all the same.
  if (kind === "none")
    return entry.has("domainNames") ? { unsupported: entry.at("domainNames") } : { unknown: entry };
  const field = entry.at(kind);
  switch (kind) {
    case "networks":
      return readNetworks(field, maxListed);
    case "domainNames": {
      const named = readDomainNames(field, maxListed, traits.names);
      if (named === null) return null;
      return traits.names === "off" ? { unsupported: field } : { named };
    }
    case "nodes": {
      const nodes = readSelector(field);
      return nodes && [{ kind: "nodes", nodes }];
    }
    case "namespaces":
    case "pods": {
      const pods = readPods(field, kind, traits);
      return pods && [pods];
    }
  }
}

function readPods(field: Field, kind: "namespaces" | "pods", traits: PeerTraits): PodGroup | null {
  return kind === "namespaces" ? readNamespaces(field) : traits.readPods(field);
}
