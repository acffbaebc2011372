// An OVSDB client (RFC 7047) with a local cache, for any database of any ovsdb-server: describe the tables you want,
// open a session, read the cache, subscribe to changes, send transactions. Knows no particular database.

import type { DatabaseDescription } from "./notation/description.ts";
import type { SessionOptions } from "./session/options.ts";
import { SocketSession } from "./session/socket-session.ts";

export { column, toUuid } from "./notation/description.ts";
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
} from "./notation/description.ts";
export type { TlsFiles } from "./wire/dial.ts";
export {
  ConnectionLostError,
  ProtocolError,
  RemoteError,
  SchemaMismatchError,
  TransactionError,
  transactionErrorKinds,
} from "./notation/errors.ts";
export type { TransactionErrorKind } from "./notation/errors.ts";
export { operationsFor, rowIs } from "./notation/operation.ts";
export type {
  Condition,
  Mutation,
  NamedUuid,
  Operation,
  OperationResult,
  UuidRef,
  Writable,
} from "./notation/operation.ts";
export type { LeaderChoice } from "./session/endpoint-selector.ts";
export type { SessionOptions } from "./session/options.ts";
export { formatRemote, parseRemotes } from "./wire/remote.ts";
export type { Remote } from "./wire/remote.ts";
export type {
  Cache,
  Monitors,
  RowChange,
  Session,
  SessionListener,
  TableCache,
  TableMonitor,
} from "./session/session.ts";
export { SocketSession } from "./session/socket-session.ts";
export type { SessionStats } from "./wire/stats.ts";
export { isExactly } from "./notation/string-set.ts";
export type { Elements } from "./notation/string-set.ts";

/**
 * Opens a session, which connects from the next turn of the event loop on and keeps connected until closed. Subscribe
 * at once to be called for the first fill; `opened()` resolves when it is done. Throws RemoteError.
 */
export function openSession<const D extends DatabaseDescription>(
  options: SessionOptions<D>,
): SocketSession<D> {
  return new SocketSession(options);
}
