// Operations to JSON and results back (RFC 7047 sections 4.1.3 and 5.2), by the columns of one server. A table or
// column that the server does not have is sent unchanged: the server reports the error.

import type { Condition, Mutation, Operation, OperationResult } from "./operation.ts";
import { ProtocolError, TransactionError, transactionErrorKinds } from "./errors.ts";
import { Interner } from "./interner.ts";
import { type ColumnCodec, decodeUuid, decodeValue, encodeValue, excerpt } from "./notation.ts";
import { isRecord, record, type TableCodec } from "./schema.ts";

type Wire = Record<string, unknown>;

export class OperationCodec {
  readonly #tables: ReadonlyMap<string, TableCodec>;

  constructor(tables: ReadonlyMap<string, TableCodec>) {
    this.#tables = tables;
  }

  encode(operation: Operation): Wire {
    switch (operation.op) {
      case "insert":
        return {
          op: operation.op,
          table: operation.table,
          row: this.#row(operation.table, operation.row),
          ...(operation.uuidName === undefined ? {} : { "uuid-name": operation.uuidName }),
          ...(operation.uuid === undefined ? {} : { uuid: operation.uuid }),
        };
      case "select":
      case "delete":
        return { ...operation, where: this.conditions(operation.table, operation.where) };
      case "update":
        return {
          ...operation,
          where: this.conditions(operation.table, operation.where),
          row: this.#row(operation.table, operation.row),
        };
      case "mutate":
        return {
          ...operation,
          where: this.conditions(operation.table, operation.where),
          mutations: operation.mutations.map((mutation) => this.#mutation(operation.table, mutation)),
        };
      case "wait": {
        const { timeoutMs, ...rest } = operation;
        return {
          ...rest,
          where: this.conditions(operation.table, operation.where),
          rows: operation.rows.map((row) => this.#row(operation.table, row)),
          timeout: timeoutMs,
        };
      }
      case "comment":
      case "abort":
        return { ...operation };
    }
  }

  /** Section 5.1 <condition>s. */
  conditions(table: string, conditions: readonly Condition[]): unknown[] {
    return conditions.map(({ column, function: test, value }) => [
      column,
      test,
      this.#value(table, column, value),
    ]);
  }

  /** Reads the result of a transaction of these operations. Throws TransactionError when the server refused it. */
  decode(operations: readonly Operation[], answer: unknown): OperationResult[] {
    if (!Array.isArray(answer))
      throw new ProtocolError(`expected an array of results, got ${excerpt(answer)}`);
    const results: readonly unknown[] = answer;
    const failed = results.findIndex((result) => isRecord(result) && "error" in result);
    // One element more than there are operations: every operation passed, and the commit failed.
    if (failed >= 0) throw refusal(results[failed], failed < operations.length ? failed : null);
    if (results.length !== operations.length) {
      throw new ProtocolError(`expected ${operations.length} results and got ${results.length}`);
    }
    return operations.map((operation, at) => this.#result(operation, results[at]));
  }

  #result(operation: Operation, wire: unknown): OperationResult {
    const result = record(wire, "<operation-result>");
    switch (operation.op) {
      case "insert":
        return { uuid: decodeUuid(result["uuid"]) };
      case "update":
      case "mutate":
      case "delete":
        return { count: decodeCount(result["count"]) };
      case "select": {
        const rows = result["rows"];
        if (!Array.isArray(rows)) throw new ProtocolError(`expected rows and got ${excerpt(rows)}`);
        return { rows: rows.map((row) => this.#decodeRow(operation.table, row)) };
      }
      case "wait":
      case "comment":
      case "abort":
        return {};
    }
  }

  #decodeRow(table: string, wire: unknown): Wire {
    const interner = new Interner();
    const row: Wire = {};
    for (const [column, value] of Object.entries(record(wire, "<row>"))) {
      const codec = this.#column(table, column);
      if (codec === undefined) throw new ProtocolError(`the schema has no column ${table}.${column}`);
      row[column] = decodeValue(codec, value, interner);
    }
    return row;
  }

  #mutation(table: string, { column, mutator, value }: Mutation): unknown[] {
    return [column, mutator, this.#value(table, column, value)];
  }

  #row(table: string, row: Readonly<Wire>): Wire {
    const wire: Wire = {};
    for (const column of Object.keys(row)) wire[column] = this.#value(table, column, row[column]);
    return wire;
  }

  #value(table: string, column: string, value: unknown): unknown {
    const codec = this.#column(table, column);
    try {
      return encodeValue(codec?.key ?? null, codec?.value ?? null, value);
    } catch (error) {
      throw new TypeError(`cannot write ${table}.${column}`, { cause: error });
    }
  }

  #column(table: string, column: string): ColumnCodec | undefined {
    return this.#tables.get(table)?.get(column);
  }
}

function decodeCount(wire: unknown): number {
  if (typeof wire === "number" && Number.isSafeInteger(wire)) return wire;
  throw new ProtocolError(`expected a count and got ${excerpt(wire)}`);
}

/** The longest text of an error that is kept, in characters. */
const maxErrorLength = 1000;

/** An RFC 7047 section 3.1 <error> as an exception. */
export function refusal(wire: unknown, operation: number | null): TransactionError {
  const { error, details, syntax } = isRecord(wire) ? wire : { error: wire };
  const said = typeof error === "string" ? error : excerpt(error);
  const kind = transactionErrorKinds.find((known) => known === said) ?? "unknown";
  const parts = [kind === "unknown" ? said : undefined, details, syntax]
    .filter((part) => typeof part === "string")
    .map((part) => part.slice(0, maxErrorLength));
  return new TransactionError(kind, parts.join(": "), operation);
}
