// Everything that can go wrong with a session, one class a treatment.

/** The error strings of RFC 7047 sections 3.1, 4.1.3 and 5.2, and those that ovsdb-server adds. */
export const transactionErrorKinds = [
  "aborted",
  "canceled",
  "constraint violation",
  "domain error",
  "duplicate uuid",
  "duplicate uuid-name",
  "I/O error",
  "not owner",
  "not supported",
  "ovsdb error",
  "permission error",
  "range error",
  "referential integrity violation",
  "resources exhausted",
  "syntax error",
  "timed out",
  "unknown column",
  "unknown database",
  "unknown table",
] as const;
export type TransactionErrorKind = (typeof transactionErrorKinds)[number];

/** The server refused a transaction; nothing of it was done. */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  /** The RFC's error string; `unknown` when the server sent one that this client does not know. */
  readonly kind: TransactionErrorKind | "unknown";
  readonly details: string;
  /** Index of the refused operation; null when the commit as a whole failed (RFC 7047 section 4.1.3). */
  readonly operation: number | null;

  constructor(kind: TransactionErrorKind | "unknown", details: string, operation: number | null) {
    super(details === "" ? kind : `${kind}: ${details}`);
    this.kind = kind;
    this.details = details;
    this.operation = operation;
  }
}

/** The connection went away before the answer came; whether the transaction was done is unknown until the next fill. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
}

/** The server's schema lacks a table or column that the description names, or types it otherwise. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
}

/** A remote that cannot be understood; the message names it. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}

/** The server said what RFC 7047 does not allow, or what this client cannot hold; the connection is given up. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** One line about anything thrown. */
export function reasonOf(error: unknown): string {
  // By its members, not by its class: an error of another realm is one too.
  if (typeof error !== "object" || error === null || !("message" in error)) return String(error);
  const { message } = error;
  if (typeof message === "string" && message !== "") return message;
  // node:net reports a name with several addresses as one error with no message and the causes inside.
  return "errors" in error && Array.isArray(error.errors)
    ? error.errors.map(reasonOf).join("; ")
    : "an error";
}
