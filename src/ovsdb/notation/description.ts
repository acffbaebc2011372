// A client's view of a database, as data: tables, columns and their types. Row types are inferred from it, and every
// connection compares it with the server's own schema.

import type { Elements } from "./string-set.ts";

/** A row's identity, RFC 7047 section 3.1 <uuid>. */
export type Uuid = string & { readonly __brand: "Uuid" };

/** The text as a Uuid; throws TypeError for other text. For uuids chosen by the client and for those read from text. */
export function toUuid(text: string): Uuid {
  if (!isUuid(text)) throw new TypeError(`${JSON.stringify(text)} is not a uuid`);
  return text;
}

export function isUuid(text: unknown): text is Uuid {
  return typeof text === "string" && uuidFormat.test(text);
}

const uuidFormat = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface AtomTypes {
  readonly string: string;
  readonly integer: number;
  readonly real: number;
  readonly boolean: boolean;
  readonly uuid: Uuid;
}
export type AtomName = keyof AtomTypes;

/** A column's type, RFC 7047 section 3.2 <type>: exactly one, at most one, any number, or pairs. */
export type ColumnDescription =
  | { readonly shape: "one"; readonly of: AtomName }
  | { readonly shape: "optional"; readonly of: AtomName }
  | { readonly shape: "set"; readonly of: AtomName }
  | { readonly shape: "map"; readonly of: AtomName; readonly to: AtomName };

export const column = {
  one: <A extends AtomName>(of: A) => ({ shape: "one", of }) as const,
  optional: <A extends AtomName>(of: A) => ({ shape: "optional", of }) as const,
  set: <A extends AtomName>(of: A) => ({ shape: "set", of }) as const,
  map: <A extends AtomName, B extends AtomName>(of: A, to: B) => ({ shape: "map", of, to }) as const,
};

export type TableDescription = Readonly<Record<string, ColumnDescription>>;

export interface DatabaseDescription {
  /** The database's name, as in list_dbs. */
  readonly name: string;
  readonly tables: Readonly<Record<string, TableDescription>>;
  /** The oldest version of the schema that will do, and for what; absent: any that has the tables. */
  readonly oldest?: { readonly version: string; readonly reason: string };
  /** Tables, and columns as `Table.column`, that the server need not have: nobody monitors them. */
  readonly mayLack?: readonly string[];
  /** What needs a table or a column, by its name as above: the error about a server without it says so. */
  readonly neededBy?: Readonly<Record<string, string>>;
}

export type ColumnValue<C extends ColumnDescription> = C extends { shape: "map"; of: infer K; to: infer V }
  ? ReadonlyMap<AtomTypes[K & AtomName], AtomTypes[V & AtomName]>
  : C extends { shape: "set"; of: infer A }
    ? Elements<AtomTypes[A & AtomName]>
    : C extends { shape: "optional"; of: infer A }
      ? AtomTypes[A & AtomName] | null
      : C extends { of: infer A }
        ? AtomTypes[A & AtomName]
        : never;

/** A row of a table, with the described columns. */
export type RowOf<T extends TableDescription> = { readonly [C in keyof T]: ColumnValue<T[C]> };

export type TableName<D extends DatabaseDescription> = keyof D["tables"] & string;
export type Row<D extends DatabaseDescription, T extends TableName<D>> = RowOf<D["tables"][T]>;
