// All writes of this program to the Northbound database pass here. The writer can put operations at the head of every
// transaction, such as a `wait` that must hold before the rest is done, and keeps them apart from the caller's: results
// and indexes are those of the caller's operations, and a failed head operation is never a refusal of rows.

import { ConnectionLostError, TransactionError } from "../../ovsdb/notation/errors.ts";
import type { Operation, OperationResult } from "../../ovsdb/notation/operation.ts";
import type { Session } from "../../ovsdb/session/session.ts";
import type { SocketSession } from "../../ovsdb/session/socket-session.ts";
import type { Northbound } from "../rows/schema.ts";

/** Read access to the Northbound database. Writes go through the NorthboundWriter. */
export type NorthboundView = Pick<Session<Northbound>, "ready" | "cache" | "subscribe">;

/** The lock of the session's server (RFC 7047 section 4.1.8): a hint about other instances. */
export type NorthboundLock = Pick<SocketSession<Northbound>, "lockedAt" | "unlock">;

/**
 * Returns the operations at the head of a transaction that must hold for it to be done; called for each transaction.
 * They insert no row under a name (`uuidName`), since the caller chooses the names.
 */
export type Precondition = () => readonly Operation[];

/**
 * An operation at the head failed, so the database did nothing of the transaction. Says nothing about the caller's
 * rows.
 */
export class PreconditionFailedError extends Error {
  override readonly name = "PreconditionFailedError";
  /** Index of the operation in the precondition's list. */
  readonly operation: number;
  /** The server's error; `timed out` when a `wait` was not fulfilled. */
  override readonly cause: TransactionError;

  constructor(operation: number, cause: TransactionError) {
    super(`the precondition of a transaction failed: ${cause.message}`);
    this.operation = operation;
    this.cause = cause;
  }
}

/** Columns of a table; `_uuid` is one. */
export interface Selected {
  readonly table: string;
  readonly columns: readonly string[];
}

export type SelectedRow = Readonly<Record<string, unknown>>;

export interface NorthboundWriterOptions {
  readonly session: Pick<Session<Northbound>, "transact">;
  /** Nothing unless given. */
  readonly precondition?: Precondition;
  /** What a transaction must wait for before it is sent; null: for nothing. Later transactions stay behind earlier ones. */
  readonly confirm?: () => Promise<void> | null;
}

export class NorthboundWriter {
  /** What was sent, refused transactions included; preconditions do not count as operations. */
  readonly stats = { transactions: 0, operations: 0 };
  readonly #options: NorthboundWriterOptions;

  constructor(options: NorthboundWriterOptions) {
    this.#options = options;
  }

  /** All rows of tables that the session need not follow, as of one moment. Rejects as Session.transact does. */
  async select(wanted: readonly Selected[]): Promise<readonly (readonly SelectedRow[])[]> {
    const results = await this.#options.session.transact(
      wanted.map((one) => ({ op: "select", where: [], ...one })),
    );
    return results.map(({ rows = [] }) => rows);
  }

  /**
   * One transaction; none at all without operations. Resolves and rejects as Session.transact does, with results and indexes
   * of these operations only, and also with PreconditionFailedError. `guards`: preconditions of this one besides.
   */
  async transact(
    operations: readonly Operation[],
    guards: readonly Operation[] = [],
  ): Promise<readonly OperationResult[]> {
    if (operations.length === 0) return [];
    const { session, precondition, confirm } = this.#options;
    const confirming = confirm?.() ?? null;
    if (confirming !== null) await confirming;
    const head = [...(precondition?.() ?? []), ...guards];
    this.stats.transactions++;
    this.stats.operations += operations.length;
    try {
      const all = head.length === 0 ? operations : [...head, ...operations];
      const results = await session.transact(all);
      return results.slice(head.length);
    } catch (error) {
      throw error instanceof TransactionError ? ofCaller(error, head.length) : error;
    }
  }
}

/** The error with which NorthboundWriter.transact rejects for causes outside this program. */
export type WriteFailure = ConnectionLostError | TransactionError | PreconditionFailedError;

export function isWriteFailure(error: unknown): error is WriteFailure {
  return [ConnectionLostError, TransactionError, PreconditionFailedError].some(
    (kind) => error instanceof kind,
  );
}

/** Whether the database refused the rows themselves; otherwise the same transaction may succeed later. */
export function isRefusal(failure: WriteFailure): failure is TransactionError {
  return failure instanceof TransactionError && !failure.isServerTrouble;
}

/** The error with its operation index counted after the first `heads` operations. */
function ofCaller(error: TransactionError, heads: number): Error {
  const { operation, kind, details } = error;
  if (operation === null || heads === 0) return error;
  if (operation < heads) return new PreconditionFailedError(operation, error);
  return new TransactionError(kind, details, operation - heads, { cause: error });
}
