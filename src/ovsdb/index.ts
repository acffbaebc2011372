// An OVSDB client (RFC 7047) with a local cache, for any database of any ovsdb-server: describe the tables you want,
// open a session, read the cache, subscribe to changes, send transactions. Knows no particular database.

import type { DatabaseDescription } from "./description.ts";
import type { SessionOptions } from "./options.ts";
import { SocketSession } from "./socket-session.ts";

export { column, toUuid } from "./description.ts";
export type {
  AtomName,
  AtomTypes,
  ColumnDescription,
  ColumnValue,
  DatabaseDescription,
  Row,
  RowOf,
  TableDescription,
  TableName,
  Uuid,
} from "./description.ts";
export type { TlsFiles } from "./dial.ts";
export {
  ConnectionLostError,
  ProtocolError,
  RemoteError,
  SchemaMismatchError,
  TransactionError,
  transactionErrorKinds,
} from "./errors.ts";
export type { TransactionErrorKind } from "./errors.ts";
export { operationsFor, rowIs } from "./operation.ts";
export type {
  Condition,
  Mutation,
  NamedUuid,
  Operation,
  OperationResult,
  UuidRef,
  Writable,
} from "./operation.ts";
export type { LeaderChoice } from "./members.ts";
export type { SessionOptions } from "./options.ts";
export { formatRemote, parseRemotes } from "./remote.ts";
export type { Remote } from "./remote.ts";
export type {
  Cache,
  Monitors,
  RowChange,
  Session,
  SessionListener,
  TableCache,
  TableMonitor,
} from "./session.ts";
export { SocketSession } from "./socket-session.ts";
export type { SessionStats } from "./stats.ts";
export { isExactly } from "./string-set.ts";
export type { Elements } from "./string-set.ts";

/**
 * Opens a session, which connects from the next turn of the event loop on and keeps connected until closed. Subscribe
 * at once to be called for the first fill; `opened()` resolves when it is done. Throws RemoteError.
 */
export function openSession<const D extends DatabaseDescription>(
  options: SessionOptions<D>,
): SocketSession<D> {
  return new SocketSession(options);
}
