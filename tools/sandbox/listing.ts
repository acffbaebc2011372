// Parses the output of ovn-nbctl and ovn-sbctl with --format=json: one table for each line, in the order of the
// commands. Refuses anything else. Every value becomes text, a list or a map; numbers and booleans become text.

import { invariant } from "../../src/lib/invariant.ts";

/** A row of a listing; throws for a column that was not listed, or for the wrong type. */
export class ListedRow {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  text(column: string): string {
    const value = untagged(this.#value(column));
    return typeof value === "string" ? value : String(value);
  }

  /** A set: none, one or many. */
  list(column: string): readonly string[] {
    const value = this.#value(column);
    if (!isTagged(value, "set")) return [this.text(column)];
    return asArray(value[1]).map((element) => String(untagged(element)));
  }

  map(column: string): ReadonlyMap<string, string> {
    const value = this.#value(column);
    invariant(isTagged(value, "map"), `${column} is a map`);
    return new Map(
      asArray(value[1]).map((pair) => {
        const [key, held] = asArray(pair);
        return [String(untagged(key)), String(untagged(held))];
      }),
    );
  }

  #value(column: string): unknown {
    invariant(this.#values.has(column), `column ${column} was listed`);
    return this.#values.get(column);
  }
}

export function parseListings(printed: string): readonly (readonly ListedRow[])[] {
  return printed
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => rowsOf(JSON.parse(line)));
}

function rowsOf(table: unknown): readonly ListedRow[] {
  invariant(typeof table === "object" && table !== null, "a listing is an object");
  invariant("headings" in table && "data" in table, "a listing has headings and data");
  const headings = asArray(table.headings).map(String);
  return asArray(table.data).map((row) => {
    const values = asArray(row);
    return new ListedRow(new Map(headings.map((heading, at) => [heading, values[at]])));
  });
}

/** RFC 7047 section 5.1 writes a reference as ["uuid", "<uuid>"]. */
function untagged(value: unknown): unknown {
  return isTagged(value, "uuid") ? value[1] : value;
}

function isTagged(value: unknown, tag: "set" | "map" | "uuid"): value is readonly [string, unknown] {
  return Array.isArray(value) && value.length === 2 && value[0] === tag;
}

function asArray(value: unknown): readonly unknown[] {
  invariant(Array.isArray(value), "a listing holds arrays");
  return value;
}
