// nft on a node, in memory: scripts about our table are read, and applied as a whole or not at all. Tables of others are text.

import { FilterRefusedError } from "../../src/netfilter/live/filter-tools.ts";
import type { TableTools } from "../../src/netfilter/live/filter-tools.ts";
import { nftBlocks } from "../netfilter/nft-text.ts";
import { FakeTableState } from "./fake-table-state.ts";

const ours = "inet northgate";

export class FakeTable implements TableTools {
  /** Tables of others, as they were written. */
  others = "";
  /** null: there is none. */
  #state: FakeTableState | null = null;

  async list(): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#state === null) return "";
    const blocks = this.#state
      .blocks()
      .map(({ word, name, lines }) =>
        [`\t${word} ${name} {`, ...lines.map((line) => `\t\t${line}`), "\t}", ""].join("\n"),
      );
    return `table ${ours} {\n${blocks.join("\n")}}\n`;
  }

  async apply(script: string): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (script.startsWith("table inet others {")) {
      this.others += script;
      return;
    }
    let state = this.#state?.copy() ?? null;
    const statements = script.matchAll(/^table inet northgate \{\n([^]*?)^\}\n|^(.*)\n/gm);
    for (const [whole, block, line = ""] of statements) {
      state = applied(state, block, line);
      if (state !== null) continue;
      if (line !== `delete table ${ours}`) refuse(`No such file or directory: ${whole}`);
    }
    const fault = state?.dangling() ?? null;
    if (fault !== null) refuse(fault);
    this.#state = state;
  }

  /** Empties everything. */
  clear(): void {
    this.#state = null;
    this.others = "";
  }
}

function refuse(why: string): never {
  throw new FilterRefusedError(`nft: Error: Could not process rule: ${why}`);
}

/** null: there is no table. */
function applied(
  before: FakeTableState | null,
  block: string | undefined,
  line: string,
): FakeTableState | null {
  if (block !== undefined || line === `table ${ours}`) {
    const state = before ?? new FakeTableState();
    for (const one of nftBlocks(block ?? "")) check(state.declare(one));
    return state;
  }
  if (before === null || line === `delete table ${ours}`) return null;
  check(refusalOf(before, line));
  return before;
}

/** Applies the line. */
function refusalOf(state: FakeTableState, line: string): string | null {
  const [, verb, word, name = "", list = ""] =
    /^(add|delete|flush) (element|set|map|chain) inet northgate ([\w-]+)(?: \{ (.+) \})?$/.exec(line) ?? [];
  if (verb === undefined || word === undefined) return `syntax error: ${line}`;
  if (word === "element") return state.change(verb === "add", name, list.split(", "));
  if (word === "chain") return verb === "flush" ? state.flush(name) : state.removeChain(name);
  return state.removeSet(word, name);
}

function check(refusal: string | null): void {
  if (refusal !== null) refuse(refusal);
}
