// From a connection to a filled cache, in this order: checks whether the server may be used, whether its schema has
// what the description names, and then requests its rows. Fails as a whole; its monitors end with the connection.

import type { IndexPlan } from "../replica/cache.ts";
import { OperationCodec } from "../notation/codec.ts";
import type { Connection } from "../wire/connection.ts";
import type { DatabaseDescription } from "../notation/description.ts";
import { ConnectionLostError, reasonOf, SchemaMismatchError } from "../notation/errors.ts";
import { RpcError } from "../wire/jsonrpc.ts";
import { type Ask, openMonitor, type TablePlan } from "../replica/monitor.ts";
import type { Condition } from "../notation/operation.ts";
import type { FillTimeout } from "./fill-timeout.ts";
import type { Replica } from "../replica/replica.ts";
import { matchSchema, parseSchema, type TableCodec } from "../notation/schema.ts";
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
  readonly fillTimeout: FillTimeout;
}

export interface Handshake {
  readonly codec: OperationCodec;
  readonly schemaVersion: string;
  /** The server sent only the changes since the last connection. */
  readonly resumed: boolean;
}

/** Rejects with SchemaMismatchError, ConnectionLostError, ProtocolError or RpcError. */
export async function shakeHands(connection: Connection, options: HandshakeOptions): Promise<Handshake> {
  const { database, monitors, status, replica, fillTimeout } = options;
  const { request, dump } = fillTimeout;
  const ask: Ask = (method, params) => connection.request(method, params, request);
  const unusable = await status.open(ask);
  if (unusable !== null) throw new ConnectionLostError(unusable);
  const schema = parseSchema(await askSchema(ask, database.name));
  const tables = matchSchema(database, schema);
  const codec = new OperationCodec(tables);
  const plans = planMonitors(database, monitors, tables);
  replica.begin(new Map(Array.from(plans, ([table, { columns }]) => [table, columns])), (error) => {
    connection.end(reasonOf(error));
  });
  const askRows: Ask = (method, params) => connection.request(method, params, dump);
  const reply = await openMonitor(askRows, database.name, plans, codec, replica.last);
  await replica.open(reply);
  // It may have ended while a large reply was processed.
  connection.assertOpen();
  return { codec, schemaVersion: schema.version, resumed: reply.found };
}

/** Rejects with SchemaMismatchError, naming the databases that there are, when there is none of this name. */
async function askSchema(ask: Ask, database: string): Promise<unknown> {
  try {
    return await ask("get_schema", [database]);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const served = await ask("list_dbs", []);
    if (!Array.isArray(served) || served.includes(database)) throw error;
    // `_Server` is about the server itself.
    const others = served.filter((name) => typeof name === "string" && name !== "_Server");
    const instead = others.length === 0 ? "no other either" : others.join(", ");
    throw new SchemaMismatchError(`the server has no database ${database}; it has ${instead}`, {
      cause: error,
    });
  }
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
