// The algebra of row updates, without a socket: the meaning of an update2 message (ovsdb-server(7) 4.1.14), applying a
// difference to a value, and the difference of two rows. Applying the difference of two values to the first gives the
// second.

import { invariant } from "../../lib/invariant.ts";
import type { Uuid } from "../notation/description.ts";
import { ProtocolError, reasonOf } from "../notation/errors.ts";
import type { Interner } from "../notation/interner.ts";
import {
  type Atom,
  type ColumnCodec,
  decodeElements,
  decodePairs,
  decodeValue,
  defaultValue,
  excerpt,
  type Value,
  wireUuid,
} from "../notation/notation.ts";
import { record, type TableCodec } from "../notation/schema.ts";
import { StringSet, symmetricDifference } from "../notation/string-set.ts";

export type RowData = Readonly<Record<string, Value>>;

/** How one column changes. */
export type Diff =
  | { readonly as: "value"; readonly value: Value }
  /** Removes each element that is in the set, adds each other one. */
  | { readonly as: "elements"; readonly elements: readonly Atom[] }
  /** Removes a key with an equal value, sets any other key. */
  | { readonly as: "pairs"; readonly pairs: ReadonlyMap<Atom, Atom> };

export type RowUpdate =
  | { readonly kind: "insert"; readonly table: string; readonly uuid: Uuid; readonly row: RowData }
  | {
      readonly kind: "modify";
      readonly table: string;
      readonly uuid: Uuid;
      readonly diffs: ReadonlyMap<string, Diff>;
    }
  | { readonly kind: "delete"; readonly table: string; readonly uuid: Uuid };

/** Reads a <table-updates2> row by row; `tables` gives the monitored columns. Throws ProtocolError, naming the place. */
export function* rowUpdates(
  wire: unknown,
  tables: ReadonlyMap<string, TableCodec>,
  interner: Interner,
): Generator<RowUpdate, void> {
  for (const [table, rows] of Object.entries(record(wire, "<table-updates2>"))) {
    const columns = tables.get(table);
    if (columns === undefined)
      throw new ProtocolError(`an update for table ${table}, which is not monitored`);
    for (const [key, body] of Object.entries(record(rows, "<table-update2>"))) {
      yield parseRow({ table, uuid: wireUuid(key) }, record(body, "<row-update2>"), columns, interner);
    }
  }
}

function parseRow(
  at: { readonly table: string; readonly uuid: Uuid },
  body: Readonly<Record<string, unknown>>,
  columns: TableCodec,
  interner: Interner,
): RowUpdate {
  if ("delete" in body) return { kind: "delete", ...at };
  const [kind = "", wire] = Object.entries(body)[0] ?? [];
  const values = record(wire, "<row>");
  switch (kind) {
    case "insert":
    case "initial": {
      return { kind: "insert", ...at, row: decodeRow(at.table, values, columns, interner) };
    }
    case "modify": {
      const diffs = new Map<string, Diff>();
      for (const [column, value] of Object.entries(values)) {
        const codec = columns.get(column);
        if (codec === undefined)
          throw new ProtocolError(`an update for ${at.table}.${column}, not monitored`);
        try {
          diffs.set(column, decodeDiff(codec, value, interner));
        } catch (error) {
          throw located(at.table, column, error);
        }
      }
      return { kind: "modify", ...at, diffs };
    }
    default:
      throw new ProtocolError(`expected <row-update2> and got ${excerpt(body)}`);
  }
}

function decodeRow(
  table: string,
  values: Readonly<Record<string, unknown>>,
  columns: TableCodec,
  interner: Interner,
): RowData {
  const row: Record<string, Value> = {};
  let reading = "";
  try {
    // In the order of the columns, not of the message: rows of one table then share their shape in memory.
    for (const [column, codec] of columns) {
      reading = column;
      const value = values[column];
      row[column] = value === undefined ? defaultValue(codec) : decodeValue(codec, value, interner);
    }
  } catch (error) {
    throw located(table, reading, error);
  }
  return row;
}

function decodeDiff(codec: ColumnCodec, wire: unknown, interner: Interner): Diff {
  if (codec.composite && codec.shape === "set") {
    return { as: "elements", elements: decodeElements(codec.key, wire, interner) };
  }
  if (codec.composite && codec.shape === "map") {
    return { as: "pairs", pairs: decodePairs(codec, wire, interner) };
  }
  return { as: "value", value: decodeValue(codec, wire, interner) };
}

/**
 * Changes one column of `row`: a set in place, so that one element costs the same in a set of any size; everything else
 * gets a new value. Returns the elements that were added or removed, null for other shapes.
 */
export function applyDiff(row: Record<string, Value>, column: string, diff: Diff): ReadonlySet<Atom> | null {
  const old = row[column];
  switch (diff.as) {
    case "value":
      if (old instanceof Set && diff.value instanceof Set) {
        return toggle(old, [...old.symmetricDifference(diff.value)]);
      }
      if (old instanceof StringSet && diff.value instanceof StringSet) {
        return toggle(old, symmetricDifference(old, diff.value));
      }
      row[column] = diff.value;
      return null;
    case "elements":
      invariant(old instanceof Set || old instanceof StringSet, "elements of a column that is no set");
      return toggle(old, diff.elements);
    case "pairs": {
      invariant(old instanceof Map, "pairs of a column that is no map");
      const next = new Map<Atom, Atom>(old);
      for (const [key, value] of diff.pairs) {
        if (next.get(key) === value) next.delete(key);
        else next.set(key, value);
      }
      row[column] = next;
      return null;
    }
  }
}

function toggle(set: Set<Atom> | StringSet, elements: readonly Atom[]): ReadonlySet<Atom> {
  // The codec of such a column reads strings alone.
  if (set instanceof StringSet) set.toggle(elements as readonly string[]);
  else {
    for (const element of elements) {
      if (!set.delete(element)) set.add(element);
    }
  }
  return new Set(elements);
}

/** The columns in which two rows differ, and the change from the first row to the second. */
export function diffRows(from: RowData, to: RowData): ReadonlyMap<string, Diff> {
  const diffs = new Map<string, Diff>();
  for (const [column, value] of Object.entries(to)) {
    const diff = diffValues(from[column], value);
    if (diff !== null) diffs.set(column, diff);
  }
  return diffs;
}

function diffValues(from: Value | undefined, to: Value): Diff | null {
  if (from instanceof Set && to instanceof Set) {
    const elements = [...from.symmetricDifference(to)];
    return elements.length === 0 ? null : { as: "elements", elements };
  }
  if (from instanceof StringSet && to instanceof StringSet) {
    const elements = symmetricDifference(from, to);
    return elements.length === 0 ? null : { as: "elements", elements };
  }
  if (from instanceof Map && to instanceof Map) {
    return equalMaps(from, to) ? null : { as: "value", value: to };
  }
  return from === to ? null : { as: "value", value: to };
}

function equalMaps(a: ReadonlyMap<Atom, Atom>, b: ReadonlyMap<Atom, Atom>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    if (b.get(key) !== value) return false;
  }
  return true;
}

function located(table: string, column: string, error: unknown): ProtocolError {
  return new ProtocolError(`${table}.${column}: ${reasonOf(error)}`, { cause: error });
}
