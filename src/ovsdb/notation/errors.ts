// All errors of a session, one class for each way to handle them.

/**
 * Error strings about the operations: the server refuses the same transaction again until they, or the rows they match,
 * change. RFC 7047 sections 3.1, 4.1.3 and 5.2, and ovsdb-server's own: `permission error` (RBAC allows or forbids by
 * table, column and row), `internal error` and `ovsdb error` (a check in the server without a name of its own, which
 * these operations may have caused).
 */
const refusalKinds = [
  "aborted",
  "constraint violation",
  "domain error",
  "duplicate uuid",
  "duplicate uuid-name",
  "internal error",
  "not supported",
  "ovsdb error",
  "permission error",
  "range error",
  "referential integrity violation",
  "syntax error",
  "unknown column",
  "unknown table",
] as const;

/**
 * Error strings about the server's present state and not about the operations: any transaction may get them, and the
 * same one may pass later. RFC 7047 sections 4.1.3 and 5.2, and ovsdb-server's own: `cluster error` (the member has no
 * leader to write to), `not allowed` (the server is read-only: the standby of a pair), `unknown database` (not served,
 * or not any more). `timed out` comes from a `wait` operation, `not owner` from an `assert`.
 */
const troubleKinds = [
  "canceled",
  "cluster error",
  "I/O error",
  "not allowed",
  "not owner",
  "resources exhausted",
  "timed out",
  "unknown database",
] as const;

export const transactionErrorKinds = [...refusalKinds, ...troubleKinds] as const;
export type TransactionErrorKind = (typeof transactionErrorKinds)[number];

/** The server refused or failed a transaction; no part of it was done. */
export class TransactionError extends Error {
  override readonly name = "TransactionError";
  /** The RFC's error string; `unknown` when the server sent one that this client does not know. */
  readonly kind: TransactionErrorKind | "unknown";
  readonly details: string;
  /** Index of the refused operation; null when the commit as a whole failed (RFC 7047 section 4.1.3). */
  readonly operation: number | null;

  constructor(
    kind: TransactionErrorKind | "unknown",
    details: string,
    operation: number | null,
    options?: ErrorOptions,
  ) {
    super(details === "" ? kind : `${kind}: ${details}`, options);
    this.kind = kind;
    this.details = details;
    this.operation = operation;
  }

  /**
   * Whether it is trouble of the server's, independent of the operations. An unknown kind is not: treated as a refusal,
   * it costs the refused operations a retry; treated as trouble, one bad row could hold up every other write for ever.
   */
  get isServerTrouble(): boolean {
    return troubleKinds.some((kind) => kind === this.kind);
  }
}

/** The connection ended before the answer arrived; whether the transaction was done is unknown until the next fill. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
}

/** The server lacks the database, or a table or column that the description names, or types one otherwise. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
}

/** A remote that cannot be parsed; the message names it. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
}

/** The server sent what RFC 7047 does not allow, or what this client cannot hold; the connection is closed. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** One line for any thrown value. */
export function reasonOf(error: unknown): string {
  // Checks members, not the class: an error of another realm counts too.
  if (typeof error !== "object" || error === null || !("message" in error)) return String(error);
  const { message } = error;
  if (typeof message === "string" && message !== "") return tlsReason(error) ?? message;
  // node:net reports a name with several addresses as one error with no message and the causes inside.
  return "errors" in error && Array.isArray(error.errors)
    ? error.errors.map(reasonOf).join("; ")
    : "an error";
}

/** Codes of OpenSSL's verification, X509_V_ERR_* without their prefix, and Node's own for the name. */
const certificateCode = /^(CERT_|CRL_|DEPTH_ZERO_|ERR_TLS_CERT_|INVALID_|SELF_SIGNED_|UNABLE_TO_)/;

/** What went wrong with TLS, in one line; null: it was not TLS. */
function tlsReason(error: object): string | null {
  if (!("code" in error && typeof error.code === "string" && "message" in error)) return null;
  if (certificateCode.test(error.code))
    return `the server's certificate is refused: ${String(error.message)}`;
  // OpenSSL's own texts are several lines; Node gives the words that matter apart. An alert is the server's word.
  if (!/^ERR_(SSL|OSSL)_/.test(error.code) || !("reason" in error)) return null;
  const said = error.code.includes("_ALERT_") ? "the server refused our certificate or TLS" : "TLS failed";
  return `${said}: ${String(error.reason)}`;
}
