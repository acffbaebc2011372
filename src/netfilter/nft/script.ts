// The table of a node as one text for `nft -f`, in the form in which `nft -n list` prints it. It takes the place of the table that is
// there, in one transaction.

import type { ChainText } from "../print-hooks.ts";
import { hookOf } from "./hooks.ts";
import type { NftSet } from "./sets.ts";

/** The only table that is ours. */
const table = "table inet northgate";

export interface NftTable {
  readonly chains: readonly ChainText[];
  readonly sets: readonly NftSet[];
}

/** A table without chains is removed. `delete` needs one that exists, so it is made before. */
export function nftScript({ chains, sets }: NftTable): string {
  const pieces = [...sets.map(setText), ...chains.map(chainText)];
  const own = pieces.length === 0 ? "" : `${table} {\n${pieces.join("\n")}}\n`;
  return `${table}\ndelete ${table}\n${own}`;
}

function setText({ name, type, elements }: NftSet): string {
  const word = type.endsWith(": verdict") ? "map" : "set";
  const list = elements.length === 0 ? [] : [`elements = { ${elements.join(",\n\t\t\t     ")} }`];
  return blockText(`${word} ${name}`, [`type ${type}`, ...list]);
}

function chainText({ name, rules }: ChainText): string {
  const hook = hookOf(name);
  return blockText(`chain ${name}`, [...(hook === null ? [] : [hook]), ...rules]);
}

function blockText(head: string, lines: readonly string[]): string {
  return [`\t${head} {`, ...lines.map((line) => `\t\t${line}`), "\t}", ""].join("\n");
}
