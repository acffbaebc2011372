// One side of connections in one world: which list of entries each pair of ends meets there. Rows are the ends as subjects,
// columns the ends as peers, and ends that all entries see alike share one. Register every end first, then ask. A row is worked
// out when it is first asked for, for all of its columns at once: each entry takes the columns of its peers one step further.

import { invariant } from "../lib/invariant.ts";
import type { NamespaceFact, NodeFact } from "../model/facts.ts";
import { selects } from "../model/selector.ts";
import type { PodGroup, SameNamespaces, SubjectGroup } from "../policy/ir.ts";
import { groupKey } from "../policy/ir.ts";
import type { AddressSpace } from "./address-space.ts";
import type { Entry } from "./entries.ts";
import { peerText } from "./entries.ts";
import { Interner } from "./interner.ts";
import type { ListId, Lists } from "./lists.ts";
import type { Sign, Signs } from "./signs.ts";

/** An end as a world sees it. */
export interface Place {
  /** null: no pod. */
  readonly pod: PodPlace | null;
  /** Of the address. */
  readonly piece: number;
}

export interface PodPlace {
  /** null: nobody knows it, and no selector selects the pod. */
  readonly namespace: NamespaceFact | null;
  readonly namespaceSign: Sign;
  readonly sign: Sign;
  readonly node: string | null;
}

export interface SideInput {
  readonly entries: readonly Entry[];
  readonly lists: Lists;
  readonly space: AddressSpace;
  readonly nodes: Iterable<NodeFact>;
  readonly namespaces: Signs;
  readonly pods: Signs;
  /** One for both worlds of a direction: what is kept of rows and columns is compared by these numbers. */
  readonly kept: Interner;
}

interface Row {
  /** In their order. */
  readonly entries: readonly Entry[];
  readonly namespace: NamespaceFact | null;
  readonly kept: number;
}

/** What a part of an end, its labels or its address, says of it as a peer. */
interface Part {
  readonly atoms: readonly string[];
  readonly kept: string;
}

export class Side {
  readonly #input: SideInput;
  readonly #rowIds = new Interner();
  readonly #rows: Row[] = [];
  readonly #rowOf = new Map<string, number>();
  readonly #columnIds = new Interner();
  readonly #columns: (readonly [pod: Part, piece: Part])[] = [];
  readonly #podParts = new Map<string, number>();
  readonly #parts: Part[] = [];
  readonly #partIds = new Interner();
  readonly #pieceParts: Int32Array;
  readonly #subjects: ReadonlyMap<string, SubjectGroup>;
  /** By subject, the places of its entries. */
  readonly #bySubject = new Map<string, number[]>();
  readonly #selecting: ReadonlyMap<string, readonly PodGroup[]>;
  readonly #same: readonly SameNamespaces[];
  /** Texts of peers that entries of both worlds have. */
  readonly #keptPeers: ReadonlySet<string>;
  readonly #hasNodes: boolean;
  #byAtom: ReadonlyMap<string, readonly number[]> | null = null;
  readonly #peerColumns = new Map<Entry, readonly number[]>();
  readonly #lists = new Map<number, Int32Array>();
  readonly #marks = new Map<number, Uint8Array | null>();

  constructor(input: SideInput) {
    this.#input = input;
    const { entries } = input;
    const peers = new Map(entries.flatMap((entry) => entry.peers.map((peer) => [peerText(peer), peer])));
    this.#subjects = new Map(entries.flatMap(({ subject }) => subject.map((one) => [groupKey(one), one])));
    for (const [at, { subject }] of entries.entries()) {
      for (const text of subject.map(groupKey)) {
        const places = this.#bySubject.get(text);
        if (places === undefined) this.#bySubject.set(text, [at]);
        else places.push(at);
      }
    }
    this.#hasNodes = [...this.#subjects.values()].some(({ kind }) => kind === "podsOfNode");
    const groups = [...peers.values()].filter((peer) => peer.kind === "pods");
    this.#selecting = Map.groupBy(groups, ({ namespaces }) => namespaces.text);
    this.#same = [...peers.values()].filter((peer) => peer.kind === "sameNamespaces");
    this.#keptPeers = new Set(
      entries.filter(({ changed }) => !changed).flatMap((entry) => entry.peers.map(peerText)),
    );
    this.#pieceParts = this.#partsOfPieces();
    invariant(this.#rowFor([], null) === 0, "the first row is that of ends that nothing selects");
  }

  /** The row of the end as a subject; 0: no policy selects it. */
  rowOf({ pod }: Place): number {
    if (pod === null) return 0;
    const { namespace, sign, node } = pod;
    const key = `${namespace?.name ?? ""} ${sign} ${this.#hasNodes ? (node ?? "") : ""}`;
    const known = this.#rowOf.get(key);
    if (known !== undefined) return known;
    const selected = [...this.#subjects].filter(([, group]) => this.#isSelected(pod, group));
    const made = this.#rowFor(
      selected.map(([text]) => text),
      namespace,
    );
    this.#rowOf.set(key, made);
    return made;
  }

  columnOf({ pod, piece }: Place): number {
    invariant(this.#byAtom === null, "an end that comes after the first question");
    const ofPod = pod === null ? this.#partFor([]) : this.#podPart(pod);
    const ofPiece = this.#pieceParts[piece] ?? 0;
    const column = this.#columnIds.of(`${ofPod} ${ofPiece}`);
    this.#columns[column] ??= [this.#part(ofPod), this.#part(ofPiece)];
    return column;
  }

  /** Equal for rows that entries of both worlds see alike. */
  keptOfRow(row: number): number {
    return this.#row(row).kept;
  }

  keptOfColumn(column: number): number {
    const [pod, piece] = this.#columns[column] ?? [];
    return this.#input.kept.of(`${pod?.kept ?? ""}|${piece?.kept ?? ""}`);
  }

  /** The isolating entries that select the row. */
  isolating(row: number): readonly Entry[] {
    return this.#row(row).entries.filter(({ isolates }) => isolates);
  }

  /** By column, the list of entries met. */
  listsOf(row: number): Int32Array {
    const known = this.#lists.get(row);
    if (known !== undefined) return known;
    const lists = new Int32Array(this.#columns.length);
    for (const entry of this.#row(row).entries) this.#step(lists, entry, row);
    this.#lists.set(row, lists);
    return lists;
  }

  /** By column, 1 where an entry of this world alone is met; null: nowhere. */
  marksOf(row: number): Uint8Array | null {
    const known = this.#marks.get(row);
    if (known !== undefined) return known;
    const changed = this.#row(row).entries.filter((entry) => entry.changed);
    const marks = changed.length === 0 ? null : new Uint8Array(this.#columns.length);
    if (marks !== null)
      for (const entry of changed) for (const column of this.#columnsOf(entry, row)) marks[column] = 1;
    this.#marks.set(row, marks);
    return marks;
  }

  #step(lists: Int32Array, entry: Entry, row: number): void {
    const next = new Map<ListId, ListId>();
    let [last, lastNext] = [-1, -1];
    for (const column of this.#columnsOf(entry, row)) {
      const list = lists[column] ?? 0;
      // Neighbours have met the same entries as a rule.
      if (list !== last) {
        last = list;
        const known = next.get(list);
        lastNext = known ?? this.#input.lists.extended(list, entry);
        if (known === undefined) next.set(list, lastNext);
      }
      lists[column] = lastNext;
    }
  }

  /** Distinct. */
  #columnsOf(entry: Entry, row: number): readonly number[] {
    const known = this.#peerColumns.get(entry);
    if (known !== undefined) return known;
    const columns = this.#peersFor(entry, this.#row(row).namespace);
    if (!entry.peers.some(({ kind }) => kind === "sameNamespaces")) this.#peerColumns.set(entry, columns);
    return columns;
  }

  #peersFor({ peers }: Entry, own: NamespaceFact | null): readonly number[] {
    const all = (this.#byAtom ??= this.#columnsByAtom());
    if (peers.some(({ kind }) => kind === "everything")) return [...this.#columns.keys()];
    const atoms = peers.map((peer) =>
      peer.kind === "sameNamespaces" ? sameAtom(peer, own) : peerText(peer),
    );
    const lists = atoms.flatMap((atom) => (atom === null ? [] : [all.get(atom) ?? []]));
    return lists.length === 1 ? (lists[0] ?? []) : [...new Set(lists.flat())];
  }

  #columnsByAtom(): ReadonlyMap<string, readonly number[]> {
    const found = new Map<string, number[]>();
    for (const [column, parts] of this.#columns.entries()) {
      for (const atom of new Set(parts.flatMap(({ atoms }) => atoms))) {
        const columns = found.get(atom);
        if (columns === undefined) found.set(atom, [column]);
        else columns.push(column);
      }
    }
    return found;
  }

  #row(row: number): Row {
    const found = this.#rows[row];
    invariant(found !== undefined, "a row that nobody registered");
    return found;
  }

  #rowFor(selected: readonly string[], namespace: NamespaceFact | null): number {
    // A peer in the subject's own namespaces makes namespaces differ.
    const values = this.#same.map((peer) => sameAtom(peer, namespace));
    const row = this.#rowIds.of(selected.length === 0 ? "" : JSON.stringify([selected, values]));
    if (row < this.#rows.length) return row;
    const places = new Set(selected.flatMap((text) => this.#bySubject.get(text) ?? []));
    const entries = [...places].sort((a, b) => a - b).flatMap((at) => this.#input.entries[at] ?? []);
    const stay = entries.filter(({ changed }) => !changed);
    const said = stay.map((entry) => [
      entry.id,
      ...entry.peers.flatMap((peer) => (peer.kind === "sameNamespaces" ? [sameAtom(peer, namespace)] : [])),
    ]);
    this.#rows.push({ entries, namespace, kept: this.#input.kept.of(JSON.stringify(said)) });
    return row;
  }

  #isSelected({ namespace, namespaceSign, sign, node }: PodPlace, group: SubjectGroup): boolean {
    if (group.kind === "podsOfNode") return node === group.node;
    if (namespace === null) return false;
    const { namespaces, pods } = this.#input;
    return namespaces.selects(group.namespaces, namespaceSign) && pods.selects(group.pods, sign);
  }

  #podPart(place: PodPlace): number {
    const { namespace, namespaceSign, sign } = place;
    if (namespace === null) return this.#partFor([]);
    const key = `${namespace.name} ${sign}`;
    const known = this.#podParts.get(key);
    if (known !== undefined) return known;
    const { namespaces, pods } = this.#input;
    const groups = [...this.#selecting.values()]
      .filter(([first]) => first !== undefined && namespaces.selects(first.namespaces, namespaceSign))
      .flat()
      .filter((group) => pods.selects(group.pods, sign));
    const same = this.#same.filter((peer) => pods.selects(peer.pods, sign));
    const made = this.#partFor([
      ...groups.map((group) => [peerText(group), peerText(group)] as const),
      ...same.map((peer) => [sameAtom(peer, namespace), peerText(peer)] as const),
    ]);
    this.#podParts.set(key, made);
    return made;
  }

  /** By piece. A node's address is a piece of its own. */
  #partsOfPieces(): Int32Array {
    const { space, entries, nodes } = this.#input;
    const found = Array.from({ length: space.size }, () => new Set<string>());
    const peers = new Map(entries.flatMap((entry) => entry.peers.map((peer) => [peerText(peer), peer])));
    for (const [text, peer] of peers) {
      if (peer.kind === "network") {
        const pieces = space.piecesOf(peer.cidr);
        for (let at = pieces?.first ?? 0; at <= (pieces?.last ?? -1); at++) found[at]?.add(text);
        for (const inner of peer.except.map((cidr) => space.piecesOf(cidr)))
          for (let at = inner?.first ?? 0; at <= (inner?.last ?? -1); at++) found[at]?.delete(text);
      } else if (peer.kind === "nodes") {
        for (const node of nodes)
          if (selects(peer.nodes, node.labels))
            for (const piece of space.piecesHolding(node.ips)) found[piece]?.add(text);
      }
    }
    return Int32Array.from(found, (texts) => this.#partFor([...texts].map((text) => [text, text])));
  }

  /** `atoms`: each with the text of its peer; an atom of null matches nothing. */
  #partFor(atoms: readonly (readonly [atom: string | null, peer: string])[]): number {
    const texts = atoms.flatMap(([atom]) => (atom === null ? [] : [atom]));
    const part = this.#partIds.of(texts.join("\n"));
    if (part === this.#parts.length) {
      const stay = atoms.filter(([atom, peer]) => atom !== null && this.#keptPeers.has(peer));
      this.#parts.push({
        atoms: texts,
        kept: stay
          .map(([atom]) => atom)
          .sort()
          .join("\n"),
      });
    }
    return part;
  }

  #part(part: number): Part {
    const found = this.#parts[part];
    invariant(found !== undefined, "a part that nobody made");
    return found;
  }
}

/** What a pod's namespace must say to be one of the subject's own; null: it lacks a key. */
function sameAtom({ keys, pods }: SameNamespaces, namespace: NamespaceFact | null): string | null {
  if (namespace === null) return null;
  if (keys.length === 0) return `in ${JSON.stringify(namespace.name)} ${pods.text}`;
  const values = [...new Set(keys)].sort().map((key) => [key, namespace.labels.get(key) ?? null]);
  return values.some(([, value]) => value === null) ? null : `with ${JSON.stringify(values)} ${pods.text}`;
}
