// The ends as peers on one side in one world: ends that every entry's peers match alike share a column. What decides is
// an end's labels and its address, so each is worked out once for all ends that have it. An atom is a peer that matches, as a
// number; of a peer in the subject's own namespaces, the peer with the namespace that the subject must have.

import { append } from "../../lib/append.ts";
import { invariant } from "../../lib/invariant.ts";
import type { HostNameFact, NamespaceFact, NodeFact } from "../../model/facts.ts";
import { selects } from "../../model/selector.ts";
import { groupKey } from "../../policy/ir.ts";
import { addressesOf } from "../../policy/matching.ts";
import { peersAsked } from "../../policy/peers.ts";
import type { NarrowedPods, OtherAddresses, Peer, PodGroup, SameNamespaces } from "../../policy/ir.ts";
import type { AddressSpace } from "../../analysis/address-space.ts";
import type { Entry } from "../entries.ts";
import { addressesText, peerText } from "../entries.ts";
import { Interner } from "../interner.ts";
import type { EndPlace, PodPlace, SignsOfLabels } from "./place.ts";

export interface ColumnsInput extends SignsOfLabels {
  readonly entries: readonly Entry[];
  readonly space: AddressSpace;
  readonly nodes: Iterable<NodeFact>;
  readonly hostNames: Iterable<HostNameFact>;
  /** Numbers of atoms; one for both worlds of a direction, so that columns can be compared. */
  readonly atoms: Interner;
}

/** What the labels or the address of an end say of it. */
interface Part {
  readonly atoms: readonly number[];
  /** Of peers that both worlds have. */
  readonly kept: string;
}

export class Columns {
  readonly #input: ColumnsInput;
  readonly #keptAtoms = new Set<number>();
  readonly #selecting: ReadonlyMap<string, readonly PodGroup[]>;
  readonly #same: readonly SameNamespaces[];
  readonly #ids = new Interner();
  readonly #columns: (readonly [labels: Part, address: Part])[] = [];
  readonly #partIds = new Interner();
  readonly #parts: Part[] = [];
  readonly #byPod = new Map<string, number>();
  readonly #byPiece: Int32Array;
  #byAtom: ReadonlyMap<number, readonly number[]> | null = null;
  readonly #byEntry = new Map<Entry, readonly number[]>();
  readonly #keptPeers: ReadonlySet<string>;

  constructor(input: ColumnsInput) {
    this.#input = input;
    const peers = new Map(
      input.entries.flatMap((entry) => entry.peers.map((peer) => [peerText(peer), peer])),
    );
    const all = [...peers.values()];
    const groups = new Map(all.flatMap((peer) => podsOf(peer).map((group) => [groupKey(group), group])));
    this.#selecting = Map.groupBy(groups.values(), ({ namespaces }) => namespaces.text);
    this.#same = all.filter((peer) => peer.kind === "sameNamespaces");
    const kept = input.entries.filter(({ changed }) => !changed);
    this.#keptPeers = new Set(kept.flatMap((entry) => entry.peers.flatMap(atomTexts)));
    this.#byPiece = Int32Array.from(this.#atomsByPiece(all), (atoms) => this.#part(atoms));
  }

  get size(): number {
    return this.#columns.length;
  }

  /** The column of the end as a peer. */
  of(place: EndPlace): number {
    invariant(this.#byAtom === null, "an end that comes after the first question");
    const [labels, address] = this.#partsOf(place);
    const column = this.#ids.of(`${labels} ${address}`);
    this.#columns[column] ??= [this.#at(labels), this.#at(address)];
    return column;
  }

  /** null: no end that was registered is like this one. */
  find(place: EndPlace): number | null {
    return this.#ids.find(this.#partsOf(place).join(" "));
  }

  #partsOf({ pod, piece }: EndPlace): readonly [labels: number, address: number] {
    const none = this.#part([]);
    return [pod === null ? none : this.#ofPod(pod), this.#byPiece[piece] ?? none];
  }

  /** Equal texts: columns that peers of both worlds match alike. */
  kept(column: number): string {
    return (this.#columns[column] ?? []).map(({ kept }) => kept).join("|");
  }

  /** The columns that the entry's peers match; `own`: the subject's namespace. Each once. */
  matched(entry: Entry, own: NamespaceFact | null): readonly number[] {
    const known = this.#byEntry.get(entry);
    if (known !== undefined) return known;
    const columns = this.#matched(entry.peers, own);
    if (!entry.peers.some(({ kind }) => kind === "sameNamespaces")) this.#byEntry.set(entry, columns);
    return columns;
  }

  /** The columns that the entry's networks match, and no other peer of it. */
  byNetworkAlone({ peers }: Entry): readonly number[] {
    const networks = peers.filter(({ kind }) => kind === "network");
    if (networks.length === 0) return [];
    const others = peers.filter(({ kind }) => kind !== "network" && kind !== "sameNamespaces");
    const otherwise = new Set(this.#matched(others, null));
    return this.#matched(networks, null).filter((column) => !otherwise.has(column));
  }

  #matched(peers: readonly Peer[], own: NamespaceFact | null): readonly number[] {
    const byAtom = (this.#byAtom ??= this.#columnsByAtom());
    if (peers.some(({ kind }) => kind === "everything")) return [...this.#columns.keys()];
    const withAtom = (atom: string) => byAtom.get(this.#input.atoms.of(atom)) ?? [];
    const lists = peers.map((peer): readonly number[] => {
      if (peer.kind === "narrowed") {
        const [group, addresses] = narrowedAtoms(peer);
        const within = new Set(withAtom(addresses));
        return withAtom(group).filter((column) => within.has(column));
      }
      if (peer.kind === "others") {
        const without = new Set(peer.pods.flatMap((group) => withAtom(groupKey(group))));
        return withAtom(addressesText(peer)).filter((column) => !without.has(column));
      }
      const atom = peer.kind === "sameNamespaces" ? sameAtom(peer, own) : peerText(peer);
      return atom === null ? [] : withAtom(atom);
    });
    return lists.length === 1 ? (lists[0] ?? []) : [...new Set(lists.flat())];
  }

  #columnsByAtom(): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, number[]>();
    for (const [column, parts] of this.#columns.entries())
      for (const atom of parts.flatMap(({ atoms }) => atoms)) append(found, atom, column);
    return found;
  }

  #ofPod(place: PodPlace): number {
    const { namespace, namespaceSign, sign } = place;
    if (namespace === null) return this.#part([]);
    const key = `${namespace.name} ${sign}`;
    const known = this.#byPod.get(key);
    if (known !== undefined) return known;
    const { namespaces, pods } = this.#input;
    const groups = [...this.#selecting.values()]
      .filter(([first]) => first !== undefined && namespaces.selects(first.namespaces, namespaceSign))
      .flatMap((some) => some.filter((group) => pods.selects(group.pods, sign)));
    const same = this.#same.filter((peer) => pods.selects(peer.pods, sign));
    const part = this.#part([
      ...groups.map((group) => this.#atom(groupKey(group), groupKey(group))),
      ...same.flatMap((peer) => {
        const text = sameAtom(peer, namespace);
        return text === null ? [] : [this.#atom(text, peerText(peer))];
      }),
    ]);
    this.#byPod.set(key, part);
    return part;
  }

  /** `of`: what of a peer the atom says. */
  #atom(text: string, of: string): number {
    const atom = this.#input.atoms.of(text);
    if (this.#keptPeers.has(of)) this.#keptAtoms.add(atom);
    return atom;
  }

  /** By piece, the networks that hold it and the nodes and host names whose address it is. */
  #atomsByPiece(peers: readonly Peer[]): readonly (readonly number[])[] {
    const found = Array.from({ length: this.#input.space.size }, (): number[] => []);
    for (const peer of peers) {
      if (!isByAddress(peer)) continue;
      const text = isOfAddresses(peer) ? addressesText(peer) : peerText(peer);
      const atom = this.#atom(text, text);
      for (const piece of this.#piecesOf(peer)) found[piece]?.push(atom);
    }
    return found;
  }

  /** Each once. */
  #piecesOf(peer: PeerByAddress): Iterable<number> {
    const { space, nodes, hostNames } = this.#input;
    if (peer.kind === "network") return space.piecesWithin(peer.cidr, peer.except);
    if (isOfAddresses(peer))
      return new Set(peer.networks.flatMap((network) => space.piecesWithin(network, peer.except)));
    if (peer.kind === "hostNames") return new Set(space.piecesHolding(addressesOf(peer, { hostNames })));
    const selected = [...nodes].filter((node) => selects(peer.nodes, node.labels));
    return new Set(selected.flatMap(({ ips }) => space.piecesHolding(ips)));
  }

  #part(atoms: readonly number[]): number {
    const part = this.#partIds.of(atoms.join());
    if (part === this.#parts.length) {
      const kept = atoms.filter((atom) => this.#keptAtoms.has(atom)).sort((a, b) => a - b);
      this.#parts.push({ atoms, kept: kept.join() });
    }
    return part;
  }

  #at(part: number): Part {
    const found = this.#parts[part];
    invariant(found !== undefined, "a part that nobody made");
    return found;
  }
}

type PeerByAddress = Extract<Peer, { kind: "network" | "nodes" | "hostNames" | "narrowed" | "others" }>;

/** Whether an end's address says something of whether it is the peer. */
function isByAddress(peer: Peer): peer is PeerByAddress {
  return peer.kind === "network" || peer.kind === "nodes" || peer.kind === "hostNames" || isOfAddresses(peer);
}

/** Whether its pods and its addresses are atoms of their own. */
function isOfAddresses(peer: Peer): peer is NarrowedPods | OtherAddresses {
  return peer.kind === "narrowed" || peer.kind === "others";
}

function podsOf(peer: Peer): readonly PodGroup[] {
  return peersAsked(peer).filter((one) => one.kind === "pods");
}

/** An end is such a peer if its labels have the one and its address the other. */
function narrowedAtoms(peer: NarrowedPods): readonly [group: string, addresses: string] {
  return [groupKey(peer.pods), addressesText(peer)];
}

function atomTexts(peer: Peer): readonly string[] {
  if (peer.kind === "others") return [addressesText(peer), ...peer.pods.map(groupKey)];
  return peer.kind === "narrowed" ? narrowedAtoms(peer) : [peerText(peer)];
}

/** What a pod's namespace must say to be one of the subject's own; null: it lacks a key. */
export function sameAtom({ keys, pods }: SameNamespaces, namespace: NamespaceFact | null): string | null {
  if (namespace === null) return null;
  if (keys.length === 0) return `in ${JSON.stringify(namespace.name)} ${pods.text}`;
  const values = [...new Set(keys)].sort().map((key) => [key, namespace.labels.get(key) ?? null]);
  return values.some(([, value]) => value === null) ? null : `with ${JSON.stringify(values)} ${pods.text}`;
}
