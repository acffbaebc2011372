// The one door through which this program writes to the Northbound database. It can put operations at the head of every
// transaction, such as a `wait` that must hold for the rest to be done, and it keeps them apart from the caller's: results
// and indexes are those of the caller's operations, and a head operation that fails is never a refusal of rows.

import { ConnectionLostError, TransactionError } from "../../ovsdb/errors.ts";
import type { Operation, OperationResult } from "../../ovsdb/operation.ts";
import type { Session } from "../../ovsdb/session.ts";
import type { Northbound } from "../rows/schema.ts";

/** What may be read of the Northbound database. It cannot write: that goes through the NorthboundWriter. */
export type NorthboundView = Pick<Session<Northbound>, "ready" | "cache" | "subscribe">;

/**
 * What must hold for a transaction to be done, as operations at its head; asked again for each transaction. They insert no
 * row under a name (`uuidName`), since names are the caller's to give.
 */
export type Precondition = () => readonly Operation[];

/** An operation at the head failed, so that nothing of the transaction was done. Says nothing about the caller's rows. */
export class PreconditionFailedError extends Error {
  override readonly name = "PreconditionFailedError";
  /** Index of the operation in what the precondition gave. */
  readonly operation: number;
  /** As the server told it; `timed out` when a `wait` did not come true. */
  override readonly cause: TransactionError;

  constructor(operation: number, cause: TransactionError) {
    super(`the precondition of a transaction failed: ${cause.message}`);
    this.operation = operation;
    this.cause = cause;
  }
}

export interface NorthboundWriterOptions {
  readonly session: Pick<Session<Northbound>, "transact">;
  /** Nothing unless given. */
  readonly precondition?: Precondition;
}

export class NorthboundWriter {
  readonly #options: NorthboundWriterOptions;

  constructor(options: NorthboundWriterOptions) {
    this.#options = options;
  }

  /**
   * One transaction; none at all without operations. Resolves and rejects as Session.transact does, with results and indexes
   * of these operations only, and also with PreconditionFailedError.
   */
  async transact(operations: readonly Operation[]): Promise<readonly OperationResult[]> {
    if (operations.length === 0) return [];
    const { session, precondition } = this.#options;
    const head = precondition?.() ?? [];
    try {
      const all = head.length === 0 ? operations : [...head, ...operations];
      const results = await session.transact(all);
      return results.slice(head.length);
    } catch (error) {
      throw error instanceof TransactionError ? ofCaller(error, head.length) : error;
    }
  }
}

/** What NorthboundWriter.transact rejects with when the world, and not this program, is at fault. */
export type WriteFailure = ConnectionLostError | TransactionError | PreconditionFailedError;

export function isWriteFailure(error: unknown): error is WriteFailure {
  return [ConnectionLostError, TransactionError, PreconditionFailedError].some(
    (kind) => error instanceof kind,
  );
}

/** Whether the database refused the rows themselves; otherwise the same transaction may pass another time. */
export function isRefusal(failure: WriteFailure): failure is TransactionError {
  return failure instanceof TransactionError && !failure.isServerTrouble;
}

/** The error as it is for the operations after the first `heads`. */
function ofCaller(error: TransactionError, heads: number): Error {
  const { operation, kind, details } = error;
  if (operation === null || heads === 0) return error;
  if (operation < heads) return new PreconditionFailedError(operation, error);
  return new TransactionError(kind, details, operation - heads, { cause: error });
}
