// What a node's table has, read from what `nft -n list` prints of it. The table is ours alone, so whatever no program of ours writes
// makes it odd.

import { Multimap } from "../../lib/multimap.ts";
import type { ActualFilter, ActualSet } from "../live/actual.ts";
import { addressOf } from "../live/actual.ts";
import { typeOfSet } from "./sets.ts";

export interface ReadTable extends ActualFilter {
  /** Whether it has something that is neither a chain nor a set of ours, and is left out. */
  readonly isOdd: boolean;
}

/** Of a table that does not exist, "". */
export function readTable(listed: string): ReadTable {
  const chains = new Map<string, readonly string[]>();
  const sets = new Map<string, ActualSet>();
  let isOdd = false;
  for (const { word, name, lines } of blocksOf(listed)) {
    const set = word === "chain" ? null : setOf(word, name, lines);
    if (word === "chain") chains.set(name, lines);
    else if (set === null) isOdd = true;
    else sets.set(name, set);
  }
  return { chains, sets, madeOf: null, isOdd };
}

interface BlockText {
  /** "chain", "set" or "map"; "": another line of the table. */
  readonly word: string;
  readonly name: string;
  readonly lines: readonly string[];
}

function blocksOf(listed: string): readonly BlockText[] {
  const blocks: { word: string; name: string; lines: string[] }[] = [];
  for (const line of listed.split("\n")) {
    const [, word, name = ""] = /^\t(chain|set|map) (\S+) \{$/.exec(line) ?? [];
    if (word !== undefined) blocks.push({ word, name, lines: [] });
    else if (line.startsWith("\t\t")) blocks.at(-1)?.lines.push(line.slice(2));
    else if (line.startsWith("\t") && line !== "\t}") blocks.push({ word: "", name: line, lines: [] });
  }
  return blocks;
}

/** null: it is not as a set of ours. */
function setOf(word: string, name: string, [first = "", ...lines]: readonly string[]): ActualSet | null {
  const type = typeOfSet(name);
  const isOurs = type !== null && first === `type ${type}` && (word === "map") === type.endsWith(": verdict");
  if (!isOurs || word === "") return null;
  const set: ActualSet = new Multimap();
  if (lines.length === 0) return set;
  const [, list] = /^elements = \{ (.*) \}$/.exec(lines.map((line) => line.trimStart()).join(" ")) ?? [];
  if (list === undefined) return null;
  for (const element of list.split(", ")) set.add(addressOf(element), element);
  return set;
}
