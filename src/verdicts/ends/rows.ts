// The ends as subjects on one side in one world: ends that the same entries apply to share a row. Row 0 is that of ends that no
// policy selects, all addresses among them.

import { invariant } from "../../lib/invariant.ts";
import type { NamespaceFact } from "../../model/facts.ts";
import type { SameNamespaces, SubjectGroup } from "../../policy/ir.ts";
import { groupKey } from "../../policy/ir.ts";
import { sameAtom } from "./columns.ts";
import type { Entry } from "../entries.ts";
import { Interner } from "../interner.ts";
import type { EndPlace, SignsOfLabels } from "./place.ts";
import { isIn } from "./place.ts";

export interface RowsInput extends SignsOfLabels {
  /** In their order. */
  readonly entries: readonly Entry[];
}

export interface Row {
  /** In their order. */
  readonly entries: readonly Entry[];
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
  readonly #ids = new Interner();
  readonly #rows: Row[] = [];
  readonly #known = new Map<string, number>();

  constructor(input: RowsInput) {
    this.#input = input;
    const { entries } = input;
    this.#subjects = new Map(entries.flatMap(({ subject }) => subject.map((one) => [groupKey(one), one])));
    this.#hasNodes = [...this.#subjects.values()].some(({ kind }) => kind === "podsOfNode");
    this.#same = entries.flatMap(({ peers }) => peers.filter((peer) => peer.kind === "sameNamespaces"));
    for (const [at, { subject }] of entries.entries()) {
      for (const text of subject.map(groupKey)) {
        const places = this.#places.get(text);
        if (places === undefined) this.#places.set(text, [at]);
        else places.push(at);
      }
    }
    invariant(this.#rowFor([], null) === 0, "the first row is that of ends that nothing selects");
  }

  of({ pod }: EndPlace): number {
    if (pod === null) return 0;
    const key = `${pod.namespace?.name ?? ""} ${pod.sign} ${this.#hasNodes ? (pod.node ?? "") : ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const selected = [...this.#subjects].filter(([, group]) => isIn(pod, group, this.#input));
    const texts = selected.map(([text]) => text);
    const row = this.#rowFor(texts, pod.namespace);
    this.#known.set(key, row);
    return row;
  }

  at(row: number): Row {
    const found = this.#rows[row];
    invariant(found !== undefined, "a row that nobody registered");
    return found;
  }

  #rowFor(selected: readonly string[], namespace: NamespaceFact | null): number {
    // A peer in the subject's own namespaces makes namespaces differ.
    const own = this.#same.map((peer) => sameAtom(peer, namespace));
    const row = this.#ids.of(selected.length === 0 ? "" : JSON.stringify([selected, own]));
    if (row < this.#rows.length) return row;
    const places = new Set(selected.flatMap((text) => this.#places.get(text) ?? []));
    const entries = [...places].sort((a, b) => a - b).flatMap((at) => this.#input.entries[at] ?? []);
    const kept = entries
      .filter(({ changed }) => !changed)
      .map(({ id, peers }) => [
        id,
        ...peers.flatMap((peer) => (peer.kind === "sameNamespaces" ? [sameAtom(peer, namespace)] : [])),
      ]);
    this.#rows.push({ entries, namespace, kept: JSON.stringify(kept) });
    return row;
  }
}
