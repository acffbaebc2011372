// Reads rows of a private database, in one transaction. Every value becomes text, a list or a map; numbers and booleans become text.

import { invariant } from "../../src/lib/invariant.ts";
import { transact } from "./transaction.ts";

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

export interface Listing {
  readonly table: string;
  readonly columns: readonly string[];
  /** As RFC 7047 section 5.1 writes conditions; all rows without it. */
  readonly where?: readonly unknown[];
}

/** The rows of tables, read in one transaction, in the order of the listings. @param remote "unix:<path>" */
export async function list(
  remote: string,
  database: "OVN_Northbound" | "OVN_Southbound",
  ...listings: readonly Listing[]
): Promise<readonly (readonly ListedRow[])[]> {
  const selects = listings.map(({ table, columns, where = [] }) => ({ op: "select", table, where, columns }));
  return (await transact(remote, database, selects)).map(({ rows }) =>
    asArray(rows).map((row) => new ListedRow(new Map(Object.entries(row as object)))),
  );
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
