// The ends as subjects on one side in one world: ends that the same entries apply to share a row. Row 0 is that of ends that no
// policy selects, all addresses among them.

import { append } from "../../lib/append.ts";
import { invariant } from "../../lib/invariant.ts";
import type { AddressSpace } from "../../analysis/address-space.ts";
import type { NamespaceFact } from "../../model/facts.ts";
import type { SameNamespaces, SubjectGroup } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import { sameAtom } from "./columns.ts";
import type { Entry } from "../entries.ts";
import { addressesText } from "../entries.ts";
import { Interner } from "../interner.ts";
import type { EndPlace, SignsOfLabels } from "./place.ts";
import { isIn } from "./place.ts";

export interface RowsInput extends SignsOfLabels {
  /** In their order. */
  readonly entries: readonly Entry[];
  readonly space: AddressSpace;
}

export interface Row {
  /** In their order. */
  readonly entries: readonly Entry[];
  /** The entries that have the ends' pods as subjects, by this address or another. */
  readonly ofPods: readonly Entry[];
  readonly namespace: NamespaceFact | null;
  /** Equal texts: rows that entries of both worlds apply to alike. */
  readonly kept: string;
}

export class Rows {
  readonly #input: RowsInput;
  readonly #subjects: ReadonlyMap<string, SubjectGroup>;
  readonly #hasNodes: boolean;
  /** By subject, the places of its entries. */
  readonly #places = new Map<string, number[]>();
  readonly #same: readonly SameNamespaces[];
  /** By the text of addresses that entries restrict their subjects to, the pieces that hold them. */
  readonly #own: ReadonlyMap<string, ReadonlySet<number>>;
  readonly #ids = new Interner();
  readonly #rows: Row[] = [];
  readonly #known = new Map<string, number>();

  constructor(input: RowsInput) {
    this.#input = input;
    const { entries } = input;
    this.#subjects = new Map(entries.flatMap(({ subject }) => subject.map((one) => [groupKey(one), one])));
    this.#hasNodes = [...this.#subjects.values()].some(({ kind }) => kind === "podsOfNode");
    this.#same = entries.flatMap(({ peers }) => peers.filter((peer) => peer.kind === "sameNamespaces"));
    const own = new Map(
      entries.flatMap((entry) => (entry.own === null ? [] : [[addressesText(entry.own), entry.own]])),
    );
    this.#own = new Map(
      Array.from(own, ([text, { networks, except }]) => [
        text,
        new Set(networks.flatMap((network) => input.space.piecesWithin(network, except))),
      ]),
    );
    for (const [at, { subject }] of entries.entries())
      for (const text of subject.map(groupKey)) append(this.#places, text, at);
    invariant(this.#rowFor([], [], null) === 0, "the first row is that of ends that nothing selects");
  }

  /** The nodes whose pods entries are about. */
  get nodes(): readonly string[] {
    return [...this.#subjects.values()].flatMap((one) => (one.kind === "podsOfNode" ? [one.node] : []));
  }

  /** Equal for pieces that hold the same addresses that entries restrict their subjects to. */
  ownAt(piece: number): string {
    return this.#within(piece).join("\n");
  }

  of({ pod, piece }: EndPlace): number {
    if (pod === null) return 0;
    const within = this.#within(piece);
    const node = this.#hasNodes ? (pod.node ?? "") : "";
    const key = [pod.namespace?.name ?? "", pod.sign, node, ...within].join("\n");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const selected = [...this.#subjects].filter(([, group]) => isIn(pod, group, this.#input));
    const texts = selected.map(([text]) => text);
    const row = this.#rowFor(texts, within, pod.namespace);
    this.#known.set(key, row);
    return row;
  }

  at(row: number): Row {
    const found = this.#rows[row];
    invariant(found !== undefined, "a row that nobody registered");
    return found;
  }

  #within(piece: number): readonly string[] {
    return [...this.#own].filter(([, pieces]) => pieces.has(piece)).map(([text]) => text);
  }

  /** `within`: the texts of own addresses that the end's is among. */
  #rowFor(selected: readonly string[], within: readonly string[], namespace: NamespaceFact | null): number {
    // A peer in the subject's own namespaces makes namespaces differ.
    const own = this.#same.map((peer) => sameAtom(peer, namespace));
    const row = this.#ids.of(selected.length === 0 ? "" : JSON.stringify([selected, own, within]));
    if (row < this.#rows.length) return row;
    const places = new Set(selected.flatMap((text) => this.#places.get(text) ?? []));
    const ofPods = [...places].sort((a, b) => a - b).flatMap((at) => this.#input.entries[at] ?? []);
    const isMet = (entry: Entry) => entry.own === null || within.includes(addressesText(entry.own));
    const entries = ofPods.filter(isMet);
    const kept = entries
      .filter(({ changed }) => !changed)
      .map(({ id, peers }) => [
        id,
        ...peers.flatMap((peer) => (peer.kind === "sameNamespaces" ? [sameAtom(peer, namespace)] : [])),
      ]);
    this.#rows.push({ entries, ofPods, namespace, kept: JSON.stringify(kept) });
    return row;
  }
}
