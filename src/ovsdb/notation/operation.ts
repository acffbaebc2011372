// Database operations as values (RFC 7047 section 5.2). Any code builds them, a session sends them, and they hold no
// connection: planners return operations instead of performing them.

import type { ColumnDescription, DatabaseDescription, RowOf, TableName, Uuid } from "./description.ts";
import type { Elements } from "./string-set.ts";

/** A row inserted by the same transaction, RFC 7047 section 3.1 <named-uuid>; an <id>: [A-Za-z_][A-Za-z0-9_]*. */
export interface NamedUuid {
  readonly named: string;
}

export type UuidRef = Uuid | NamedUuid;

/** The values accepted where a row holds a Uuid: also a reference to a row of the same transaction. */
export type Writable<V> = V extends Uuid
  ? UuidRef
  : V extends ReadonlyMap<unknown, unknown>
    ? V
    : V extends Elements<infer A>
      ? Elements<A> | readonly (A extends Uuid ? UuidRef : A)[]
      : V;

type WritableRow = Readonly<Record<string, unknown>>;

/** `column function value`, RFC 7047 section 5.1 <condition>; all of a list must hold. */
export interface Condition {
  readonly column: string;
  readonly function: "<" | "<=" | "==" | "!=" | ">=" | ">" | "includes" | "excludes";
  readonly value: unknown;
}

/** `column mutator value`, RFC 7047 section 5.1 <mutation>. For a set: its elements; for a map's delete: keys or pairs. */
export interface Mutation {
  readonly column: string;
  readonly mutator: "+=" | "-=" | "*=" | "/=" | "%=" | "insert" | "delete";
  readonly value: unknown;
}

export type Operation =
  | {
      readonly op: "insert";
      readonly table: string;
      readonly row: WritableRow;
      readonly uuidName?: string;
      readonly uuid?: Uuid;
    }
  | {
      readonly op: "select";
      readonly table: string;
      readonly where: readonly Condition[];
      readonly columns?: readonly string[];
    }
  | {
      readonly op: "update";
      readonly table: string;
      readonly where: readonly Condition[];
      readonly row: WritableRow;
    }
  | {
      readonly op: "mutate";
      readonly table: string;
      readonly where: readonly Condition[];
      readonly mutations: readonly Mutation[];
    }
  | { readonly op: "delete"; readonly table: string; readonly where: readonly Condition[] }
  | {
      readonly op: "wait";
      readonly table: string;
      readonly where: readonly Condition[];
      readonly columns: readonly string[];
      readonly until: "==" | "!=";
      readonly rows: readonly WritableRow[];
      readonly timeoutMs: number;
    }
  | { readonly op: "comment"; readonly comment: string }
  | { readonly op: "abort" };

/** The result of one operation, RFC 7047 section 5.2; `rows` of a select have `_uuid` when it was requested. */
export interface OperationResult {
  readonly uuid?: Uuid;
  readonly count?: number;
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
}

/** The values of inserted and updated rows that are texts. */
export function* textsIn(operations: readonly Operation[]): Generator<string, void> {
  for (const operation of operations) {
    if (operation.op !== "insert" && operation.op !== "update") continue;
    for (const value of Object.values(operation.row)) if (typeof value === "string") yield value;
  }
}

/** The row whose _uuid this is. */
export function rowIs(uuid: UuidRef): readonly Condition[] {
  return [{ column: "_uuid", function: "==", value: uuid }];
}

type WritableOf<T extends Readonly<Record<string, ColumnDescription>>> = {
  readonly [C in keyof T]: Writable<RowOf<T>[C]>;
};

/** Builders that know a database's tables: a misspelt column or a wrong value is a type error. */
export function operationsFor<D extends DatabaseDescription>() {
  return {
    insert: <T extends TableName<D>>(
      table: T,
      row: Partial<WritableOf<D["tables"][T]>>,
      uuidName?: string,
    ): Operation =>
      uuidName === undefined ? { op: "insert", table, row } : { op: "insert", table, row, uuidName },
    update: <T extends TableName<D>>(
      table: T,
      uuid: Uuid,
      row: Partial<WritableOf<D["tables"][T]>>,
    ): Operation => ({ op: "update", table, where: rowIs(uuid), row }),
    mutate: <T extends TableName<D>>(
      table: T,
      uuid: Uuid,
      mutations: readonly {
        column: keyof D["tables"][T] & string;
        mutator: Mutation["mutator"];
        value: unknown;
      }[],
    ): Operation => ({ op: "mutate", table, where: rowIs(uuid), mutations }),
    remove: (table: TableName<D>, uuid: Uuid): Operation => ({ op: "delete", table, where: rowIs(uuid) }),
  };
}
