// Scripts for `nft -f` about the table of a node, each in one transaction: the whole table in place of the one that is there, or what
// differs. Sets and chains are written in the form in which `nft -n list` prints them.

import { isSameList } from "../../lib/same-list.ts";
import type { ActualFilter } from "../live/actual.ts";
import type { TableWrite } from "../live/live-filter.ts";
import type { SetElement } from "../live/live-sets.ts";
import type { ChainText } from "../print-hooks.ts";
import type { SetContents } from "../print-ipset.ts";
import { hookOf } from "./hooks.ts";
import { typeOfSet } from "./sets.ts";

/** The only table that is ours. */
export const tableName = "inet northgate";
const table = `table ${tableName}`;

export type NftSet = Pick<SetContents, "name" | "type" | "elements">;

export interface NftTable {
  readonly chains: readonly ChainText[];
  readonly sets: readonly NftSet[];
}

/** A table without chains is removed. `delete` needs one that exists, so it is made before. */
export function nftScript({ chains, sets }: NftTable): string {
  return `${table}\ndelete ${table}\n${tableText(sets, chains)}`;
}

/** "": nothing differs. `known` has a table of ours. */
export function changesScript(known: ActualFilter, { chains, sets, used }: TableWrite): string {
  const names = new Set(chains.map(({ name }) => name));
  const changed =
    chains === known.madeOf
      ? []
      : chains.filter(({ name, rules }) => {
          const before = known.chains.get(name);
          return before === undefined || !isSameList(before, linesOf({ name, rules }));
        });
  const stale = [...known.chains.keys()].filter((name) => !names.has(name));
  const unused = [...known.sets.keys()].filter((name) => !used.has(name));
  const created = sets.created.map(({ name, type }) => ({ name, type, elements: [] }));
  const emptied = [...changed.map(({ name }) => name), ...stale].filter((name) => known.chains.has(name));
  return [
    ...emptied.map((name) => `flush chain ${tableName} ${name}\n`),
    ...elementLines("delete", sets.removed),
    tableText(created, changed),
    ...elementLines("add", sets.added),
    // A map may lead to a chain that is removed.
    ...unused.map((name) => `delete ${wordOf(typeOfSet(name) ?? "")} ${tableName} ${name}\n`),
    ...stale.map((name) => `delete chain ${tableName} ${name}\n`),
  ].join("");
}

function elementLines(verb: "add" | "delete", elements: readonly SetElement[]): readonly string[] {
  const bySet = Map.groupBy(elements, ({ name }) => name);
  return Array.from(bySet, ([name, own]) => {
    const list = own.map(({ element }) => element).join(", ");
    return `${verb} element ${tableName} ${name} { ${list} }\n`;
  });
}

function tableText(sets: readonly NftSet[], chains: readonly ChainText[]): string {
  const pieces = [
    ...sets.map(setText),
    ...chains.map((chain) => blockText(`chain ${chain.name}`, linesOf(chain))),
  ];
  return pieces.length === 0 ? "" : `${table} {\n${pieces.join("\n")}}\n`;
}

/** `nft delete` asks for it, too. */
function wordOf(type: string): "map" | "set" {
  return type.endsWith(": verdict") ? "map" : "set";
}

function setText({ name, type, elements }: NftSet): string {
  const list = elements.length === 0 ? [] : [`elements = { ${elements.join(",\n\t\t\t     ")} }`];
  return blockText(`${wordOf(type)} ${name}`, [`type ${type}`, ...list]);
}

/** The hook of a chain that the kernel calls is its first line. */
export function linesOf({ name, rules }: Pick<ChainText, "name" | "rules">): readonly string[] {
  const hook = hookOf(name);
  return hook === null ? rules : [hook, ...rules];
}

function blockText(head: string, lines: readonly string[]): string {
  return [`\t${head} {`, ...lines.map((line) => `\t\t${line}`), "\t}", ""].join("\n");
}
