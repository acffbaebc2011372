// From a connection to a filled cache, in this order: checks whether the server may be used, whether its schema has
// what the description names, and then requests its rows. Fails as a whole; its monitors end with the connection.

import type { IndexPlan } from "./cache.ts";
import { OperationCodec } from "./codec.ts";
import type { Connection } from "./connection.ts";
import type { DatabaseDescription } from "./description.ts";
import { ConnectionLostError, reasonOf } from "./errors.ts";
import { openMonitor, type TablePlan } from "./monitor.ts";
import type { Condition } from "./operation.ts";
import type { Replica } from "./replica.ts";
import { matchSchema, parseSchema, type TableCodec } from "./schema.ts";
import type { ServerStatus } from "./server-status.ts";

/** TableMonitor of session.ts before the description gives the rows their types. */
export interface UntypedMonitor {
  readonly columns?: readonly string[];
  readonly anyOf?: readonly Condition[];
  readonly indexes?: Readonly<Record<string, IndexPlan>>;
}

export interface HandshakeOptions {
  readonly database: DatabaseDescription;
  readonly monitors: ReadonlyMap<string, UntypedMonitor>;
  readonly status: ServerStatus;
  readonly replica: Replica;
}

export interface Handshake {
  readonly codec: OperationCodec;
  readonly schemaVersion: string;
  /** The server sent only the changes since the last connection. */
  readonly resumed: boolean;
}

/** Rejects with SchemaMismatchError, ConnectionLostError, ProtocolError or RpcError. */
export async function shakeHands(connection: Connection, options: HandshakeOptions): Promise<Handshake> {
  const { database, monitors, status, replica } = options;
  const unusable = await status.open(connection);
  if (unusable !== null) throw new ConnectionLostError(unusable);
  const schema = parseSchema(await connection.request("get_schema", [database.name]));
  const tables = matchSchema(database, schema);
  const codec = new OperationCodec(tables);
  const plans = planMonitors(database, monitors, tables);
  replica.begin(new Map(Array.from(plans, ([table, { columns }]) => [table, columns])), (error) => {
    connection.end(reasonOf(error));
  });
  const reply = await openMonitor(connection, database.name, plans, codec, replica.last);
  await replica.open(reply);
  // It may have ended while a large reply was processed.
  connection.assertOpen();
  return { codec, schemaVersion: schema.version, resumed: reply.found };
}

function planMonitors(
  database: DatabaseDescription,
  monitors: ReadonlyMap<string, UntypedMonitor>,
  tables: ReadonlyMap<string, TableCodec>,
): ReadonlyMap<string, TablePlan> {
  return new Map(
    Array.from(monitors, ([table, monitor]) => {
      const wanted = new Set(monitor.columns ?? Object.keys(database.tables[table] ?? {}));
      const columns = new Map([...(tables.get(table) ?? [])].filter(([column]) => wanted.has(column)));
      return [table, { columns, anyOf: monitor.anyOf }];
    }),
  );
}
