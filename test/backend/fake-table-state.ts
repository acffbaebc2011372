// Our table of nftables, in memory: what the kernel refuses it refuses, by returning why.

import type { NftBlock } from "../netfilter/nft-text.ts";
import { elementsOf } from "../netfilter/nft-text.ts";

interface FakeSet {
  readonly word: string;
  readonly type: string;
  /** Values by key; of a set, "". */
  readonly elements: Map<string, string>;
}

const missing = "No such file or directory";
const busy = "Device or resource busy";
const exists = "File exists";
const hook = "type filter hook ";
/** nft(8): a comment's length. */
const longest = 128;

export class FakeTableState {
  #sets = new Map<string, FakeSet>();
  /** The hook of a chain that the kernel calls is its first line. */
  #chains = new Map<string, string[]>();

  copy(): FakeTableState {
    const copy = new FakeTableState();
    copy.#sets = structuredClone(this.#sets);
    copy.#chains = structuredClone(this.#chains);
    return copy;
  }

  blocks(): readonly NftBlock[] {
    const sets = Array.from(this.#sets, ([name, { word, type, elements }]) => {
      const list = Array.from(elements, ([key, value]) => (value === "" ? key : `${key} : ${value}`));
      const lines = list.length === 0 ? [] : [`elements = { ${list.join(",\n\t\t\t     ")} }`];
      return { word, name, lines: [`type ${type}`, ...lines] };
    });
    return [...sets, ...Array.from(this.#chains, ([name, lines]) => ({ word: "chain", name, lines }))];
  }

  /** What there is already grows. */
  declare({ word, name, lines: [first = "", ...lines] }: NftBlock): string | null {
    if (word === "chain") return this.#append(name, first === "" ? [] : [first, ...lines]);
    const type = first.replace(/^type /, "");
    const known = this.#sets.get(name);
    if (known !== undefined && (known.type !== type || known.word !== word)) return exists;
    if (known === undefined) this.#sets.set(name, { word, type, elements: new Map() });
    return this.change(true, name, [...elementsOf(lines.join(" "))]);
  }

  change(isAdded: boolean, name: string, elements: readonly string[]): string | null {
    const set = this.#sets.get(name);
    if (set === undefined) return missing;
    const parts = set.type.replace(" : verdict", "").split(" . ").length;
    for (const element of elements) {
      const [key = "", value = ""] = element.split(" : ");
      if (key.split(" . ").length !== parts || (value === "") !== (set.word === "set")) return "syntax error";
      const known = set.elements.get(key);
      if (!isAdded && known === undefined) return missing;
      if (isAdded && known !== undefined && known !== value) return exists;
      if (isAdded) set.elements.set(key, value);
      else set.elements.delete(key);
    }
    return null;
  }

  flush(name: string): string | null {
    const lines = this.#chains.get(name);
    if (lines === undefined) return missing;
    this.#chains.set(
      name,
      lines.filter((line) => line.startsWith(hook)),
    );
    return null;
  }

  removeChain(name: string): string | null {
    if (!this.#chains.has(name)) return missing;
    if (this.#isNamed(new RegExp(`\\b(?:jump|goto) ${name}(?![\\w-])`))) return busy;
    this.#chains.delete(name);
    return null;
  }

  removeSet(word: string, name: string): string | null {
    if (this.#sets.get(name)?.word !== word) return missing;
    if (this.#isNamed(new RegExp(`@${name}(?![\\w-])`))) return busy;
    this.#sets.delete(name);
    return null;
  }

  /** Of a chain or a set that is named and is not there; null: all are there. */
  dangling(): string | null {
    for (const text of this.#texts()) {
      const [, chain] = /\b(?:jump|goto) ([\w-]+)/.exec(text) ?? [];
      if (chain !== undefined && !this.#chains.has(chain)) return `no chain ${chain}`;
      for (const [, set = ""] of text.matchAll(/@([\w-]+)/g))
        if (!this.#sets.has(set)) return `no set ${set}`;
    }
    return null;
  }

  #append(name: string, added: readonly string[]): string | null {
    const lines = this.#chains.get(name) ?? [];
    this.#chains.set(name, lines);
    for (const line of added) {
      if ((/ comment "([^"]*)"$/.exec(line)?.[1]?.length ?? 0) > longest) return "Value too large";
      if (!line.startsWith(hook) || lines.length === 0) lines.push(line);
      else if (lines[0] !== line) return exists;
    }
    return null;
  }

  #isNamed(pattern: RegExp): boolean {
    return this.#texts().some((text) => pattern.test(text));
  }

  #texts(): readonly string[] {
    const values = [...this.#sets.values()].flatMap(({ elements }) => [...elements.values()]);
    return [...[...this.#chains.values()].flat(), ...values];
  }
}
