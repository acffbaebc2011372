// Lists of entries that a connection meets on one side, interned: equal lists are the same number, whichever world they are
// of. Where only verdicts are asked for, a list ends where no later entry could decide anything. Invariant: a list cut short
// has the verdicts of the whole list.

import { invariant } from "../lib/invariant.ts";
import type { Entry } from "./entries.ts";
import { asksNames } from "./traffic.ts";

/** The number of a list; 0 is the empty one. */
export type ListId = number;

const stride = 2 ** 22;
/** No tier: orders are finite. */
const none = Number.NEGATIVE_INFINITY;

interface Node {
  readonly before: ListId;
  readonly entry: Entry | null;
  /** The tier of the last entry, and whether an entry of it passes for some traffic. */
  readonly tier: number;
  readonly passes: boolean;
  /** The last entry leaves nothing to the rest of its tier. */
  readonly closed: boolean;
  /** Nothing is left to any entry. */
  readonly ended: boolean;
  readonly hasNames: boolean;
}

export class Lists {
  readonly #nodes: Node[] = [
    { before: 0, entry: null, tier: none, passes: false, closed: false, ended: false, hasNames: false },
  ];
  readonly #next = new Map<number, ListId>();
  readonly #isWhole: boolean;

  /** `isWhole`: with the entries that decide nothing, too. */
  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** The list with one more entry, which follows all of its entries; the list itself where that makes no difference. */
  extended(list: ListId, entry: Entry): ListId {
    const node = this.#at(list);
    if (!this.#isWhole && (node.ended || (node.closed && node.tier === entry.tier))) return list;
    const key = list * stride + entry.id;
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const made = this.#nodes.length;
    this.#nodes.push(after(list, node, entry));
    this.#next.set(key, made);
    return made;
  }

  entries(list: ListId): readonly Entry[] {
    const found: Entry[] = [];
    let node = this.#at(list);
    while (node.entry !== null) {
      found.push(node.entry);
      node = this.#at(node.before);
    }
    return found.reverse();
  }

  /** Whether the list says ports by name, so that its verdicts depend on what both ends declare. */
  hasNames(list: ListId): boolean {
    return this.#at(list).hasNames;
  }

  #at(list: ListId): Node {
    const node = this.#nodes[list];
    invariant(node !== undefined, "a list that nobody made");
    return node;
  }
}

function after(before: ListId, node: Node, entry: Entry): Node {
  const passes = (node.tier === entry.tier && node.passes) || entry.action === "pass";
  const closed = entry.ports === null && !entry.translated && entry.settles;
  const hasNames = node.hasNames || (entry.ports ?? []).some(asksNames);
  return { before, entry, tier: entry.tier, passes, closed, ended: closed && !passes, hasNames };
}
