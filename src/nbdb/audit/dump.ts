// The tables of `ovsdb-client -f json dump` as plain JSON: a list of rows by column for each table. Sets and maps lose
// their tags (RFC 7047 section 5.1); what the values mean is not looked at here. Answers a sentence when the text is no dump.

import { quote } from "../../model/quote.ts";
import { parseJson } from "../../model/reader.ts";
import { isRecord } from "../../ovsdb/notation/schema.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

export function plainTables(text: string): Readonly<Record<string, Rows>> | string {
  const tables = new Map<string, Rows>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const table = tableIn(parseJson(line));
    if (typeof table === "string") return `line ${at + 1}: ${table}`;
    const [name, rows] = table;
    if (tables.has(name)) return `line ${at + 1}: table ${quote(name)} is there twice`;
    tables.set(name, rows);
  }
  return tables.size === 0 ? "the file is empty" : Object.fromEntries(tables);
}

function tableIn(value: unknown): readonly [string, Rows] | string {
  if (value === undefined) return "not JSON";
  if (!isRecord(value)) return "not a table of a dump";
  const { caption, headings, data } = value;
  const name = typeof caption === "string" ? /^(\w+) table$/.exec(caption)?.[1] : undefined;
  if (name === undefined || !isTexts(headings) || !Array.isArray(data)) return "not a table of a dump";
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const [at, row] of data.entries()) {
    if (!Array.isArray(row) || row.length !== headings.length)
      return `${name}[${at}] has not one value for each heading`;
    const values: readonly unknown[] = row;
    rows.push(Object.fromEntries(headings.map((heading, column) => [heading, plain(values[column])])));
  }
  return [name, rows];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Maps become objects, sets lists; a value that only looks tagged stays, and the reader of its column refuses it. */
function plain(value: unknown): unknown {
  if (!Array.isArray(value) || value.length !== 2) return value;
  const tagged: readonly unknown[] = value;
  const [tag, held] = tagged;
  if (tag === "uuid" && typeof held === "string") return held;
  if (tag === "set" && Array.isArray(held)) return held.map(plain);
  if (tag === "map" && Array.isArray(held) && held.every(isPair))
    return Object.fromEntries(held.map(([key, mapped]) => [String(plain(key)), plain(mapped)]));
  return value;
}

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}
