// What a well-formed YAML document may still not have: two equal keys, a key that is no scalar, deep nesting, and aliases
// that expand to too much. Looks at each node once and counts what an alias expands to without writing it out.
// Invariant: a document without a fault can be converted in time that grows with the length of its file.

import { isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Document } from "yaml";
import { maxDepth, offsetOf, tooDeep } from "./yaml-tree.ts";

export interface Fault {
  readonly offset: number;
  readonly message: string;
}

/** What a node expands to once its aliases are written out. */
interface Extent {
  /** Characters of scalars, and one more for each node. */
  size: number;
  /** Levels below the node. */
  height: number;
  /** The node is being looked at: an alias to it would contain itself. */
  isOpen: boolean;
}

/** Characters that the aliases of one file may expand to. */
const maxAliased = 1_000_000;
/** The library finds an alias's anchor by a walk over the anchors and aliases before it. */
const maxSteps = 10_000_000;
const tooMany = "has too many aliases";

/** Finds the faults of one file's documents: what aliases may expand to is a limit of the file. */
export class Faults {
  #aliased = 0;
  #steps = 0;
  #aliases = 0;
  #anchors = new Map<string, Extent>();
  #named = 0;
  #fault: Fault | null = null;

  /** The first fault of the next document; null when it has none. */
  of({ contents }: Document.Parsed): Fault | null {
    this.#anchors = new Map();
    this.#aliases = 0;
    this.#named = 0;
    this.#look(contents, 0);
    this.#steps += this.#aliases * (this.#aliases + this.#named);
    // The whole document has too many of them: its beginning is their place.
    if (this.#steps > maxSteps || this.#aliased > maxAliased) this.#refuse(contents, tooMany);
    return this.#fault;
  }

  #refuse(node: unknown, message: string): void {
    this.#fault ??= { offset: offsetOf(node), message };
  }

  /** Stops at the first fault. */
  #look(node: unknown, depth: number): Extent {
    const extent: Extent = { size: 1, height: 0, isOpen: true };
    if (depth > maxDepth) this.#refuse(node, tooDeep);
    if (this.#fault !== null) return extent;
    if (isAlias(node)) return this.#lookAtAlias(node.source, node, depth);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, extent);
      this.#named++;
    }
    if (isScalar(node)) extent.size += typeof node.value === "string" ? node.value.length : 1;
    else if (isSeq(node)) for (const item of node.items) add(extent, this.#look(item, depth + 1));
    else if (isMap(node)) this.#lookAtPairs(node.items, extent, depth + 1);
    extent.isOpen = false;
    return extent;
  }

  #lookAtPairs(
    items: readonly { readonly key: unknown; readonly value: unknown }[],
    extent: Extent,
    depth: number,
  ): void {
    const seen = new Set<string>();
    for (const { key, value } of items) {
      if (!isScalar(key)) {
        this.#refuse(key, "a key must be a plain text");
        return;
      }
      const name = String(key.value);
      if (seen.has(name)) this.#refuse(key, "the same key is there twice");
      seen.add(name);
      add(extent, this.#look(key, depth));
      add(extent, this.#look(value, depth));
      if (this.#fault !== null) return;
    }
  }

  #lookAtAlias(source: string, node: unknown, depth: number): Extent {
    const extent = this.#anchors.get(source);
    this.#aliases++;
    if (extent === undefined) {
      // The composer has refused it.
      this.#refuse(node, `Unresolved alias: ${source}`);
      return { size: 1, height: 0, isOpen: false };
    }
    if (extent.isOpen) this.#refuse(node, "an alias refers to what contains it");
    if (depth + extent.height > maxDepth) this.#refuse(node, tooDeep);
    this.#aliased += extent.size;
    return extent;
  }
}

function add(whole: Extent, part: Extent): void {
  whole.size += part.size;
  whole.height = Math.max(whole.height, part.height + 1);
}
